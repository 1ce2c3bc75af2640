# Copyright 2026 mem_vla_ros contributors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""The report of `launch_test` in JUnit's format."""

import unittest
from xml.etree import ElementTree

from .loader import TestRun


def write_junit_xml(path: str, name: str, results: dict[TestRun, unittest.TestResult]) -> None:
    """Write one test suite for each run."""
    root = ElementTree.Element('testsuites', name=name)
    for test_run, result in results.items():
        suite = ElementTree.SubElement(
            root, 'testsuite', name=str(test_run), tests=str(result.testsRun),
            failures=str(len(result.failures)), errors=str(len(result.errors)),
            skipped=str(len(result.skipped)))
        details = {
            kind: {case.id(): text for case, text in cases}
            for kind, cases in (
                ('failure', result.failures), ('error', result.errors),
                ('skipped', result.skipped))}
        for case in test_run.all_cases():
            element = ElementTree.SubElement(
                suite, 'testcase', name=case._testMethodName, classname=type(case).__name__)
            for kind, texts in details.items():
                if case.id() in texts:
                    ElementTree.SubElement(element, kind, message=texts[case.id()])
    for attribute in ('tests', 'failures', 'errors', 'skipped'):
        root.set(attribute, str(sum(int(suite.get(attribute)) for suite in root)))
    ElementTree.ElementTree(root).write(path, encoding='utf-8', xml_declaration=True)
