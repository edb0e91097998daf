"""The attacks app: what an adversary makes of the very releases an owner holds. All of it reads the originals."""
