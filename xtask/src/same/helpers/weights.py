"""The weights of a model folder as other programs have them: weights.py MODEL FOLDER. Without NumPy."""
import json, os, struct, sys, zipfile

model, folder = sys.argv[1:]
with open(os.path.join(model, "model.safetensors"), "rb") as file:
    size = struct.unpack("<Q", file.read(8))[0]
    header, values = json.loads(file.read(size)), file.read()
header.pop("__metadata__", None)
tensors = {
    name: (about["shape"], values[slice(*about["data_offsets"])]) for name, about in header.items()
}

def npy(shape, data):
    line = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line + data

def write(name, *parts):
    with open(os.path.join(folder, name), "wb") as file:
        file.writelines(parts)

def padded(shape, data):
    """With a row for nobody in front, as RecBole has it."""
    return [shape[0] + 1, shape[1]], struct.pack("<f", 9.0) * shape[1] + data

def safetensors(named):
    about, at = {}, 0
    for name, (shape, data) in named.items():
        about[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(about).encode()
    return [struct.pack("<Q", len(text)), text, *(data for _, data in named.values())]

os.makedirs(folder, exist_ok=True)
users, items = tensors["user_embedding"], tensors["item_embedding"]
write("users.npy", npy(*users))
write("items.npy", npy(*items))
write("grease.safetensors", *safetensors(tensors))
write("lightgcn-pytorch.safetensors", *safetensors({"embedding_user.weight": users, "embedding_item.weight": items}))
both = [users[0][0] + items[0][0], users[0][1]], users[1] + items[1]
write("pyg.safetensors", *safetensors({"embedding.weight": both, "alpha": ([4], struct.pack("<f", 1 / 4) * 4)}))
write("strange.safetensors", *safetensors({"encoder": users}))
with zipfile.ZipFile(os.path.join(folder, "recbole.npz"), "w") as archive:
    for name, tensor in [("user_embedding.weight", users), ("item_embedding.weight", items)]:
        archive.writestr(zipfile.ZipInfo(f"{name}.npy"), npy(*padded(*tensor)))
