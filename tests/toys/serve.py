"""Start the app with the three toy mechanisms registered: ``python tests/toys/serve.py``.

Arguments are those of ``streamlit run app.py``.  The server runs in this very process, so that
the registry it reads is the one the toys were added to.
"""

import sys
from pathlib import Path

from streamlit.web.cli import main

sys.path.insert(0, str(Path(__file__).parent))

import dptopk_toys

if __name__ == "__main__":
    dptopk_toys.register()
    sys.argv = ["streamlit", "run", "app.py", *sys.argv[1:]]
    main()
