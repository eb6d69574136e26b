"""Check the study's report and the server's page in a real browser: make them, get Chromium, Playwright and axe, click through.

usage: python tools/web_check.py        keeps a picture of the first report in docs/_static/report.png
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import lab_check
import numpy as np
import pandas as pd
from starlette.testclient import TestClient

import novum
from novum.datasets import path
from novum.study import Study
from novum.study.serving.app import ModelServer

ROOT = Path(__file__).parents[1]
WEB = ROOT / "build" / "web"


def browser() -> str:
    """Return where Chromium is; on Debian it is installed if it is not there."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=True)
        return browser()
    sys.exit("web_check: needs Chromium; install it (on Debian: apt-get install chromium) and run again.")


def modules() -> Path:
    """Return the folder whose Node packages are used, after fetching them once."""
    WEB.mkdir(parents=True, exist_ok=True)
    if not lab_check.modules():
        sys.exit("web_check: needs Node and npm; install them (on Debian: apt-get install nodejs npm) and run again.")
    return lab_check.WEB


def reports() -> list[Path]:
    """Return the reports of a study of classes and of a study of numbers, with gaps, categories and a constant."""
    shutil.copy(path("breast_cancer.csv"), WEB / "breast_cancer.csv")
    patients = pd.read_csv(path("diabetes.csv"))
    patients["sex"] = np.where(patients["sex"] == 1, "a", "b")
    patients.loc[::17, "bmi"] = np.nan
    patients["clinic"] = "north"
    patients.to_csv(WEB / "diabetes.csv", index=False)
    made = []
    for table, target in (("breast_cancer.csv", "diagnosis"), ("diabetes.csv", "progression")):
        result = Study(WEB / table, target, repeats=3 if target == "diagnosis" else 1, time_limit=600).run()
        made.append(result.write_report(WEB / Path(table).stem)[0])
    return made


def serve_page(model: Path) -> Path:
    """Return the page that `novum serve` shows for a model, as a file."""
    page = WEB / "serve.html"
    client = TestClient(ModelServer(novum.load(model)), base_url="http://127.0.0.1")
    page.write_bytes(client.get("/docs").raise_for_status().content)
    return page


def main() -> int:
    chromium, folder = browser(), modules()
    picture = ROOT / "docs" / "_static" / "report.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    script = ROOT / "tools" / "web_check.mjs"
    made = reports()
    page = serve_page(made[1].with_name("model.novum"))
    command = ["node", str(script), str(folder), chromium, str(picture), str(page), *map(str, made)]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
