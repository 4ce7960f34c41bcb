"""WebSockets that tests use without a browser."""

import base64
import json
import os
import socket
import struct


class WebSocket:
    """A session of `frc serve`."""

    def __init__(self, port, path, host=None, origin=None):
        host = host or f"127.0.0.1:{port}"
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin or 'http://' + host}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes and (piece := self.socket.recv(4096)):
            self.bytes += piece
        self.head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        self.number = 0
        self.stopped = None

    def raw(self, text):
        data = text.encode()
        mask = os.urandom(4)
        count = len(data)
        if count < 126:
            head = bytes([0x81, 0x80 | count])
        elif count < 1 << 16:
            head = b"\x81\xfe" + struct.pack(">H", count)
        else:
            head = b"\x81\xff" + struct.pack(">Q", count)
        masked = bytes(byte ^ mask[index & 3] for index, byte in enumerate(data))
        self.socket.sendall(head + mask + masked)

    def send(self, channel, **message):
        self.raw(channel + json.dumps(message))

    def _need(self, count):
        while len(self.bytes) < count:
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise EOFError
            self.bytes += piece

    def receive(self):
        """Returns the opcode and the bytes of the next frame."""
        self._need(2)
        count, place = self.bytes[1] & 127, 2
        if count == 126:
            self._need(4)
            count, place = struct.unpack(">H", self.bytes[2:4])[0], 4
        elif count == 127:
            self._need(10)
            count, place = struct.unpack(">Q", self.bytes[2:10])[0], 10
        self._need(place + count)
        opcode, data = self.bytes[0] & 15, self.bytes[place:place + count]
        self.bytes = self.bytes[place + count:]
        return opcode, data

    def run(self, text, patient=False, meanwhile=None):
        """Runs a script, and returns its new steps; nothing if the session ends, if `patient`.

        `meanwhile` is called once the script is sent.
        """
        self.number += 1
        self.send("r", op="run", id=self.number, text=text, line=10_000)
        if meanwhile:
            meanwhile()
        steps = []
        while True:
            try:
                opcode, data = self.receive()
            except (EOFError, OSError):
                if patient:
                    return None
                raise
            if opcode == 8:
                if patient:
                    return None
                raise AssertionError(f"the session ended: {data[2:].decode()}")
            if opcode != 1 or data[:1] != b"r":
                continue
            message = json.loads(data[1:])
            if message["id"] != self.number:
                continue
            if message["op"] == "step":
                steps.append(message["step"])
            if message["op"] == "done":
                self.stopped = message.get("stopped")
                return steps

    def close(self):
        """Says that it ends, and waits for the answer."""
        self.socket.sendall(b"\x88\x80" + os.urandom(4))
        try:
            while self.receive()[0] != 8:
                pass
        except (EOFError, OSError):
            pass
        self.drop()

    def drop(self):
        self.socket.close()
