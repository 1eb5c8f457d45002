#!/usr/bin/env python3
"""What a program does with Cabinet, in Python, with nothing but its standard library (3.8 or later).

    CABINET_URL=http://127.0.0.1:8080 CABINET_APPKEY=ak_... CABINET_SECRET=... python3 examples/example.py

Paths, and where each parameter goes, are learned from the service's own description, /openapi.json: an operation is
asked for by its operationId. It fetches a token, makes folders, saves a file and a batch of files, lists them page by
page, reads them back and compares them, follows the changes, and puts everything into the trash again.
"""

import base64
import hashlib
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid


class Refused(Exception):
    """The service said no: `code` is of the closed list in docs/api/errors.md."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error['Code']}: {error['Message']} {error.get('Hint', '')}".strip())
        self.code = error["Code"]


class Cabinet:
    def __init__(self, url, app_key, secret):
        self.url = url.rstrip("/")
        self.app_key = app_key
        self.secret = secret
        self.token = None
        with urllib.request.urlopen(f"{self.url}/openapi.json") as answer:
            description = json.load(answer)
        self.token_url = description["components"]["securitySchemes"]["token"]["flows"]["clientCredentials"]["tokenUrl"]
        shared = description["components"]["parameters"]

        def resolve(parameter):
            return shared[parameter["$ref"].split("/")[-1]] if "$ref" in parameter else parameter

        self.operations = {
            operation["operationId"]: (method.upper(), path, [resolve(one) for one in operation.get("parameters", [])])
            for path, operations in description["paths"].items()
            for method, operation in operations.items()
        }

    def fetch_token(self):
        credentials = base64.b64encode(f"{self.app_key}:{self.secret}".encode()).decode()
        form = urllib.parse.urlencode({"grant_type": "client_credentials"}).encode()
        request = urllib.request.Request(self.token_url, form, {"Authorization": f"Basic {credentials}"})
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["access_token"]
        except urllib.error.HTTPError as problem:
            sys.exit(f"No token was given: {problem.read().decode()}")

    def ask(self, operation_id, parameters=None, body=None, content_type=None):
        """Returns the answer's bytes and headers. A token that has expired is replaced once."""
        for attempt in (1, 2):
            self.token = self.token or self.fetch_token()
            try:
                with urllib.request.urlopen(self.to_request(operation_id, parameters or {}, body, content_type)) as answer:
                    return answer.read(), answer.headers
            except urllib.error.HTTPError as problem:
                error = json.load(problem)["Error"]
                if error["Code"] == "TokenInvalid" and attempt == 1:
                    self.token = None
                    continue
                raise Refused(problem.code, error) from None

    def to_request(self, operation_id, parameters, body, content_type):
        method, path, known = self.operations[operation_id]
        headers = {"Authorization": f"Bearer {self.token}", "AppKey": self.app_key}
        places = {parameter["name"]: parameter["in"] for parameter in known}
        query = {}
        for name, value in parameters.items():
            place = places[name]
            if place == "path":
                path = path.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
            elif place == "query":
                query[name] = value
            else:
                headers[name] = value
        if content_type is not None:
            headers["Content-Type"] = content_type
        address = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        return urllib.request.Request(address, data=body, headers=headers, method=method)

    def ask_json(self, operation_id, parameters=None, fields=None):
        body = None if fields is None else json.dumps(fields).encode()
        answer, _ = self.ask(operation_id, parameters, body, None if body is None else "application/json")
        return json.loads(answer)

    def list_folder(self, folder_id, limit=100):
        """Every child, over all pages: `Link` leads from one to the next."""
        parameters = {"id": folder_id, "limit": limit}
        while True:
            answer, headers = self.ask("FoldersGet", parameters)
            yield from json.loads(answer)["Children"]
            cursor = re.search(r"[?&]cursor=([^&>]+)", headers.get("Link", ""))
            if cursor is None:
                return
            parameters["cursor"] = urllib.parse.unquote(cursor[1])


def to_multipart(fields, files):
    """The body of a form with text fields and files, and its content type."""
    boundary = uuid.uuid4().hex
    parts = []
    for name, text in fields.items():
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode())
    for content in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="filename"; filename="file"\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def main():
    settings = [os.environ.get(name) for name in ("CABINET_URL", "CABINET_APPKEY", "CABINET_SECRET")]
    if not all(settings):
        sys.exit("Set CABINET_URL, CABINET_APPKEY and CABINET_SECRET.")
    cabinet = Cabinet(*settings)
    cursor = cabinet.ask_json("ChangesGet", {"from": "now"})["Cursor"]

    top_name = f"Python example {uuid.uuid4()}"
    made = cabinet.ask_json("FoldersPOST", fields={"RelativePath": f"{top_name}/Invoices/2026"})
    folder = made["Folder"]["Id"]
    print("made the folder", folder)

    report = "Größe in €: 1.234,50\n".encode() * 10_000
    digest = base64.b64encode(hashlib.sha256(report).digest()).decode()
    saving = {
        "FolderId": folder,
        "FileName": urllib.parse.quote("Übersicht.txt"),
        "Repr-Digest": f"sha-256=:{digest}:",
        # Sent again with the same key after a lost answer, it is not saved twice.
        "Idempotency-Key": str(uuid.uuid4()),
    }
    answer, headers = cabinet.ask("SaveFilesPost", saving, report, "text/plain; charset=utf-8")
    saved = json.loads(answer)["Children"][0]
    assert saved["Id"] == headers["entryid"] and saved["Size"] == len(report)
    print("saved", saved["Name"], saved["Size"], "bytes")

    small = {f"March/{number}.txt": f"invoice {number}\n".encode() for number in range(1, 26)}
    listed = [{"RelativePath": path, "Properties": {"Language": "Python"}} for path in small]
    body, content_type = to_multipart({"Files": json.dumps(listed)}, small.values())
    answer, _ = cabinet.ask("FilesBatchPost", {"FolderId": folder, "Idempotency-Key": str(uuid.uuid4())}, body, content_type)
    results = json.loads(answer)["Results"]
    for result in results:
        if "Error" in result:
            raise Refused(200, result["Error"])
    print("saved a batch of", len(results), "files")

    march = next(child for child in cabinet.list_folder(folder) if child["Name"] == "March")
    names = [child["Name"] for child in cabinet.list_folder(march["Id"], limit=10)]
    assert sorted(names) == sorted(path.split("/")[1] for path in small), names
    print("listed", len(names), "of them in pages of 10")

    for entry_id, expected in [(saved["Id"], report)] + [
        (result["Entry"]["Id"], content) for result, content in zip(results, small.values())
    ]:
        content, _ = cabinet.ask("FilesContentGet", {"id": entry_id})
        assert content == expected, f"{entry_id} came back otherwise"
    print("read all of them back: the same bytes")

    wanted = {saved["Id"]} | {result["Entry"]["Id"] for result in results}
    while wanted:
        page = cabinet.ask_json("ChangesGet", {"cursor": cursor, "wait": 5})
        wanted -= {change["EntryId"] for change in page["Changes"] if change["Action"] == "file.created"}
        cursor = page["Cursor"]
    print("the feed of changes has told of each of them")

    try:
        cabinet.ask_json("FoldersPOST", fields={"FolderName": top_name})
        raise AssertionError("a name can be given twice")
    except Refused as refused:
        assert refused.code == "NameAlreadyExists", refused.code
        print("refused, as it must be:", refused)

    top = next(child for child in cabinet.list_folder("-root-") if child["Name"] == top_name)
    cabinet.ask_json("EntriesDelete", {"id": top["Id"]})
    print("put everything into the trash")


if __name__ == "__main__":
    main()
