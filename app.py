"""The router: page config, the shared sidebar, navigation."""

from dptopk.ui import shell

if __name__ == "__main__":
    shell.route()
