"""Recommenders of other libraries, ready to be explained.

| adapter             | what it asks                                           | abilities                    |
|---------------------|--------------------------------------------------------|------------------------------|
| ``PyGLightGCN``     | a trained ``torch_geometric.nn.LightGCN``              | neutral, newcomers, others   |
| ``GraphModel``      | any network that embeds users and items by their graph | others, and what it is given |
| ``RecBoleModel``    | RecBole's LightGCN or NGCF                             | neutral, newcomers, others   |
| ``ImplicitModel``   | implicit's alternating least squares                   | neutral, newcomers           |

Each is a ``grease.RowRecommender``: give it to ``grease.Explainer`` together with its interactions. None of them
changes the model it is given, not even for the time of a question, so a model may be explained by several threads while others
use it. They use the model's own weights, not a copy: after more training, make the adapter anew, so that its version tells.

Nothing is imported before it is needed: PyTorch, PyTorch Geometric, RecBole and SciPy only have to be there for the adapter that
asks them.
"""

from ._edges import edge_index
from .graph import GraphModel
from .implicit import ImplicitModel
from .pyg import PyGLightGCN
from .recbole import RecBoleModel, recbole_interactions

__all__ = ["GraphModel", "ImplicitModel", "PyGLightGCN", "RecBoleModel", "edge_index", "recbole_interactions"]
