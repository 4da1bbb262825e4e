"""How the small service of the tests is trained."""

TRAINING = dict(epochs=30, dim=16, batch=256, learning_rate=0.01, loss="bpr")
