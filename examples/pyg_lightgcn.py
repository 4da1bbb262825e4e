"""Explains a LightGCN of PyTorch Geometric: trains one on an invented music service, says why artists are on a list, draws it.

Needs: pip install . in the repository, and pip install torch torch_geometric
Writes why.svg where it is run. Takes seconds.
"""

from pathlib import Path

import torch
from torch_geometric.nn import LightGCN

import grease
from grease.adapters import PyGLightGCN, edge_index

data = grease.Interactions.sample()
users, items = data.shape

# Any training will do. This one is a few rounds of pairwise ranking over the whole graph.
torch.manual_seed(1)
graph = edge_index(data)
listened = graph[:, : len(data)]
model = LightGCN(users + items, embedding_dim=32, num_layers=3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(60):
    others = torch.randint(users, users + items, (len(data),))
    pairs = torch.cat([listened, torch.stack([listened[0], others])], dim=1)
    better, worse = model(graph, pairs).chunk(2)
    loss = model.recommendation_loss(better, worse, node_id=listened.unique())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

explainer = grease.Explainer(PyGLightGCN(model, data), data)
why = explainer.explain_list("noor", k=5)
for sentence in why.sentences:
    print(sentence)

told = next(one for one in why if one.verified and one.goal == "counterfactual")
Path("why.svg").write_text(told.to_svg(), encoding="utf-8")
print(f"why.svg shows it for {told.item_name}")
