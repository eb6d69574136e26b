"""
Graph neural network: Zachary's karate club
===========================================

A club of 34 members split in two. Only the sides of the two leaders are given; a graph convolutional network tells the rest from
who met whom. Its last layer places every member in the plane.
"""

import networkx as nx
import torch
from matplotlib import pyplot as plt

from novum.neural_network import GraphNetwork

torch.set_num_threads(1)
club = nx.karate_club_graph()
nx.set_edge_attributes(club, 1.0, "weight")  # who met, not how often
sides = [told["club"] for _, told in club.nodes(data=True)]
leaders = {0: "Mr. Hi", 33: "Officer"}
model = GraphNetwork(n_components=2, max_epochs=150, random_state=0).fit(club, leaders)
print(f"{model.score(club, sides):.0%} of the members on the right side")

# %%
# Predictions on the graph (leaders with a ring), and the embedding: colors are the true sides.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
model.plot(club, leaders, ax=axes[0]).set_title("predicted")
codes = model.transform(club)
for side in sorted(set(sides)):
    here = [s == side for s in sides]
    axes[1].scatter(codes[here, 0], codes[here, 1], label=side)
for node, (x, y) in zip(club, codes):
    axes[1].annotate(str(node), (x, y), fontsize=6)
axes[1].set_title("embedding")
axes[1].legend()

# %%
# Two layers hear of nodes two steps away: the tree of messages to member 11, whose only contact is the leader.
model.computation_graph(club.subgraph([11, 0, 1, 2, 3]).copy(), 11).plot()
plt.show()
