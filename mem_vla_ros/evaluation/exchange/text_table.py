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

"""Texts with their index in a parquet file, as pandas writes a data frame indexed by text."""

import json
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

# The name that pandas gives to an index without a name.
_INDEX = '__index_level_0__'


def write_texts(path: Path, texts: list[str], column: str) -> None:
    """Write texts so that pandas reads them as the index, and their number as a column."""
    metadata = {
        'index_columns': [_INDEX],
        'column_indexes': [{
            'name': None, 'field_name': None, 'pandas_type': 'unicode',
            'numpy_type': 'object', 'metadata': {'encoding': 'UTF-8'}}],
        'columns': [
            {'name': column, 'field_name': column, 'pandas_type': 'int64',
             'numpy_type': 'int64', 'metadata': None},
            {'name': None, 'field_name': _INDEX, 'pandas_type': 'unicode',
             'numpy_type': 'object', 'metadata': None}],
        'creator': {'library': 'pyarrow', 'version': pa.__version__},
        'pandas_version': '2.0.0'}
    table = pa.table({
        column: pa.array(range(len(texts)), pa.int64()), _INDEX: pa.array(texts, pa.string())})
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(
        table.replace_schema_metadata({b'pandas': json.dumps(metadata).encode()}), path)


def read_texts(path: Path, column: str) -> dict[int, str]:
    """Return index -> text; empty if there is no such file."""
    if not path.exists():
        return {}
    table = parquet.read_table(path)
    text = next(
        field.name for field in table.schema
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type))
    return dict(zip(table[column].to_pylist(), table[text].to_pylist(), strict=True))
