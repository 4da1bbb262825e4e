"""Explains alternating least squares of implicit: fits it on an invented music service and says why artists are on a list.

Needs: pip install . in the repository, and pip install implicit
"""

import numpy as np
from implicit.cpu.als import AlternatingLeastSquares
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

import grease
from grease.adapters import ImplicitModel

# Implicit asks for this: it has threads of its own, and those of OpenBLAS get in their way.
threadpool_limits(1, "blas")

data = grease.Interactions.sample()
matrix = csr_matrix((np.ones(len(data), np.float32), data.rows()), shape=data.shape)
model = AlternatingLeastSquares(factors=32, regularization=0.05, alpha=5.0, iterations=10, random_state=1)
model.fit(matrix, show_progress=False)

explainer = grease.Explainer(ImplicitModel(model, data), data)
print(explainer.explain_list("noor", k=5))

# Somebody the model has never seen is folded in from what they bring.
print("For somebody new:")
for sentence in explainer.explain(history=data.item_ids[:4], k=3).sentences:
    print(sentence)
