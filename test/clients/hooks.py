# Content types that schemathesis does not know: they are bytes, like application/octet-stream.
import schemathesis

schemathesis.serializer.alias(
    ["application/offset+octet-stream", "application/partial-upload"], "application/octet-stream"
)
