"""
Gaussian hidden Markov model: the Nile changes its level
========================================================

A hundred years of flow at Aswan. A hidden Markov model with two Gaussian states finds the drop of 1899, says how sure it is of the
year, and goes on saying so when ten years around it are lost: they are summed out, nothing is imputed.
"""

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from novum.sequence import GaussianHMM, compare_states

text = """1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140 1100 1210 1150 1250 1260
1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831 726 456 824 702 1120 1100 832 764 821 768 845 864 862 698
845 744 796 1040 759 781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890 744 749 838 1050 918
986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740"""
flow = pd.Series([float(word) for word in text.split()], index=np.arange(1871, 1971), name="volume")

model = GaussianHMM(2, n_init=10, random_state=0).fit(flow)
print(model)
model.plot(flow)

# %%
# When did it drop? With ten years lost the posterior spreads over them.

gap = flow.copy()
gap.loc[1895:1904] = np.nan
figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.plot(flow.index, model.predict_proba(flow)[:, 1], label="all years")
without = GaussianHMM(2, n_init=10, random_state=0).fit(gap)
ax.plot(flow.index, without.predict_proba(gap)[:, 1], label="1895 to 1904 lost")
ax.set(xlim=(1885, 1912), ylabel="probability of the low level")
ax.legend()

# %%
# How many states? The Bayesian criterion, and the likelihood by pass.

found = compare_states(GaussianHMM(n_init=5, random_state=0), flow, (1, 2))
print(found)
model.history_.plot()
plt.show()
