"""grpcio, driven by lines of JSON: calls come on stdin, what becomes of them goes to stdout."""

import base64
import json
import sys
import threading

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

target, descriptors = sys.argv[1:]
pool = descriptor_pool.DescriptorPool()
files = descriptor_pb2.FileDescriptorSet()
with open(descriptors, "rb") as file:
    files.ParseFromString(file.read())
for each in files.file:
    pool.Add(each)
messages = message_factory.MessageFactory(pool)
channel = grpc.insecure_channel(target)
running = {}
writing = threading.Lock()


def tell(told):
    with writing:
        print(json.dumps(told), flush=True)


def run(asked):
    method = pool.FindServiceByName(asked["service"]).methods_by_name[asked["method"]]
    request = json_format.ParseDict(asked["request"], messages.GetPrototype(method.input_type)(), descriptor_pool=pool)
    begin = channel.unary_stream(
        f"/{asked['service']}/{asked['method']}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=messages.GetPrototype(method.output_type).FromString,
    )
    call = begin(request, metadata=[("authorization", f"Bearer {asked['credential']}")])
    running[asked["id"]] = call
    try:
        for message in call:
            tell({"id": asked["id"], "message": json_format.MessageToDict(message, descriptor_pool=pool)})
        tell({"id": asked["id"], "code": 0})
    except grpc.RpcError as error:
        status = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
        tell(
            {
                "id": asked["id"],
                "code": error.code().value[0],
                "text": error.details(),
                "status": base64.b64encode(status).decode() if status else None,
            }
        )


for line in sys.stdin:
    asked = json.loads(line)
    if "cancel" in asked:
        running[asked["cancel"]].cancel()
    else:
        threading.Thread(target=run, args=(asked,), daemon=True).start()
