"""A local Spark of two threads, for all tests here.

They are run by `.ci/run spark`, which installs Spark and Java, every night; other runs do not
collect this folder (pyproject.toml).
"""

import warnings

import pytest


@pytest.fixture(scope="session")
def spark():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that it does not know pandas 3 wholly yet
        from pyspark.sql import SparkSession

        options = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
        }
        session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
