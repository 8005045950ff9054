"""`python -m storage_acceptance`, which is `storage-acceptance` if that is installed."""

import sys

from storage_acceptance.command_line import main

sys.exit(main())
