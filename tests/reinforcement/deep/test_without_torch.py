"""The family without PyTorch: it imports, and says what is missing only when networks are needed."""

import subprocess
import sys


def test_networks_are_needed_only_when_an_agent_learns():
    code = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch':\n            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from novum.reinforcement import DQN\n"
        "from novum.teaching import self_play\n"
        "agent = DQN()\n"
        "try:\n    agent.fit('CartPole-v1')\n"
        "except ImportError as error:\n    assert \"pip install 'novum[deep]'\" in str(error)\n"
        "else:\n    raise AssertionError\n"
        "self_play('tic-tac-toe', 2, n_checks=1, check_games=2, random_state=0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys, novum.reinforcement; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
