"""
ID3 on PlayTennis: a tree with its gain table
=============================================

ID3 asks for the attribute that saves most bits, then again in every branch. A day whose outlook is not known goes down all
branches, with the shares of the days that were (:doc:`/theory/decision_trees_notes`).
"""

import matplotlib.pyplot as plt

from novum.datasets import load_play_tennis
from novum.tree import ID3, export_dnf, information_gain_table, plot_tree

X, y = load_play_tennis(return_X_y=True, as_frame=True)
model = ID3(missing="fractional").fit(X, y)
table = information_gain_table(X, y)
print(table)
print(export_dnf(model))

figure, (left, right) = plt.subplots(1, 2, figsize=(15, 5.5), layout="constrained", width_ratios=(2, 1))
unknown = X.iloc[[0]].assign(Outlook=None)
plot_tree(model, filled=True, rounded=True, sample=unknown, ax=left)
share = model.predict_proba(unknown)[0, 1]
left.set_title(f"outlook unknown, hot, humid, weak wind: played with probability {share:.2f}")
names = ("gain", "gain_ratio", "gini_gain")
for k, name in enumerate(names):
    values = getattr(table, name)
    right.barh([i + 0.25 * (1 - k) for i in range(4)], values, height=0.22, label=name.replace("_", " "))
right.set_yticks(range(4), table.attributes)
right.invert_yaxis()
right.set(xlabel="at the root", title="Outlook is best by every measure")
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
plt.show()
