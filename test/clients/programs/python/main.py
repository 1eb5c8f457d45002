"""Saves, reads, lists and archives with the client that openapi-generator makes for Python."""
import base64, json, os
import openapi_client as api

configuration = api.Configuration(host=os.environ["BASE"], access_token=os.environ["TOKEN"])
configuration.api_key["appKey"] = os.environ["APP_KEY"]
with api.ApiClient(configuration) as client:
    folders, files = api.FoldersApi(client), api.FilesApi(client)
    made = folders.folders_post(api.CreateFolder(FolderName="python"))
    saved = files.save_files_post(
        filename=("hello.txt", b"Hello from a generated client."), folder_id=made.folder.id, file_name="hello.txt"
    )
    file = saved.children[0]
    content = files.files_content_get(file.id)
    listing = folders.folders_get(made.folder.id)
    archive = folders.folders_archive_get(made.folder.id)
print(json.dumps({
    "entryId": file.id,
    "content": bytes(content).decode(),
    "names": [child.name for child in listing.children],
    "archive": base64.b64encode(bytes(archive)).decode(),
}))
