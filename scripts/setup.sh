#!/usr/bin/env bash
# Makes .venv ready for everything in the Makefile. Does nothing when nothing has changed.
#
# Where a ROS 2 Jazzy environment is sourced, its rclpy, launch, cv_bridge and so on are used;
# elsewhere rclpy comes from PyPI and launch from ros2_lite/.
set -euo pipefail
cd "$(dirname "$0")/.."

VENV=.venv
STAMP=$VENV/.setup-stamp
PYTHON=${PYTHON:-python3}

fail() { printf '\nsetup: %s\n' "$*" >&2; exit 1; }
say() { printf 'setup: %s\n' "$*"; }

"$PYTHON" - <<'PY' || fail "Python 3.11 or 3.12 is needed. Name one with: make PYTHON=python3.12 ..."
import sys
sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))
PY

if [ "${ROS_DISTRO:-}" = jazzy ] && "$PYTHON" -c 'import rclpy, launch_ros' 2>/dev/null; then
  WORLD=ros
elif [ "$(uname -m)" != x86_64 ]; then
  fail "ROS 2 from PyPI is built for x86_64 only. Install ROS 2 Jazzy, source its setup.bash, and run make again."
else
  WORLD=pip
fi

wanted=$({ echo "$WORLD" "$PWD"; "$PYTHON" --version; cat "$0" requirements/*.txt setup.py ros2_lite/pyproject.toml; find launch config -type f | sort; } | sha256sum)
if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$wanted" ]; then
  exit 0
fi

# install_system_packages WHY PACKAGE...
install_system_packages() {
  local why=$1; shift
  local apt="apt-get"
  command -v apt-get >/dev/null || fail "$why is missing; install the equivalent of: $*"
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || fail "$why is missing. Run: sudo apt-get install $*"
    apt="sudo -n apt-get"
  fi
  say "installing $* ($why)"
  $apt update -qq && DEBIAN_FRONTEND=noninteractive $apt install -y -qq "$@" >/dev/null \
    || fail "$why is missing and could not be installed. Run: sudo apt-get install $*"
}

has_library() { ldconfig -p 2>/dev/null | grep -q "$1"; }

"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || install_system_packages "Python's venv" python3-venv
{ has_library libEGL.so.1 && has_library libEGL_mesa; } || has_library libOSMesa.so \
  || install_system_packages "a headless OpenGL library" libegl1 libegl-mesa0 libgl1-mesa-dri libosmesa6

if [ "$WORLD" = ros ]; then
  # cv_bridge of Jazzy is built for NumPy 1; OpenCV comes with it.
  venv_options=--system-site-packages
  constraints=$(mktemp)
  trap 'rm -f "$constraints"' EXIT
  { grep -v -E '^(numpy|opencv-python-headless)==' requirements/constraints.txt; echo 'numpy==1.26.4'; } >"$constraints"
  requirements=$(grep -v -E '^(#|opencv)' requirements/base.txt)
else
  venv_options=
  constraints=requirements/constraints.txt
  requirements=$(grep -h -v '^#' requirements/base.txt requirements/ros.txt)
fi
requirements="$requirements $(grep -v '^#' requirements/test.txt)"

say "making $VENV (ROS from $WORLD); the first time this takes some minutes"
# shellcheck disable=SC2086
[ -x $VENV/bin/python ] || "$PYTHON" -m venv $venv_options $VENV
pip() { $VENV/bin/python -m pip -qq --disable-pip-version-check "$@"; }
pip install --constraint "$constraints" "setuptools<81" wheel
# torch first and alone: another package's open range would pull a build with gigabytes of CUDA.
say "1 of 3: torch"
pip install --constraint "$constraints" torch
say "2 of 3: everything else"
# shellcheck disable=SC2086
pip install --constraint "$constraints" $requirements
say "3 of 3: mem_vla_ros"
pip install --no-deps --no-build-isolation --editable . 2>/dev/null \
  || pip install --no-deps --no-build-isolation --editable .
if [ "$WORLD" = pip ]; then
  pip install --no-deps --no-build-isolation --editable ros2_lite
fi

# What `colcon build --symlink-install` would lay out, so that ROS tools find the package here.
share=$VENV/share/mem_vla_ros
mkdir -p "$share" $VENV/lib/mem_vla_ros $VENV/share/ament_index/resource_index/packages
rm -rf "$share/launch" "$share/config"
cp -rs "$PWD/launch" "$PWD/config" "$share/"  # links to files: ROS tools do not follow folders
ln -sf "$PWD/package.xml" "$share/package.xml"
ln -sf "$PWD/resource/mem_vla_ros" $VENV/share/ament_index/resource_index/packages/mem_vla_ros
for name in $($VENV/bin/python - <<'PY'
from importlib.metadata import distribution
print(*[entry.name for entry in distribution('mem_vla_ros').entry_points])
PY
); do
  ln -sf "../../bin/$name" "$VENV/lib/mem_vla_ros/$name"
done
echo "$wanted" >"$STAMP"
say "done"
