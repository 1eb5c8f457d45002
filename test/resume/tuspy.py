# Uploads files with tuspy, a client that was not written here: jobs come as JSON on standard input, a line for each that is done
# goes to standard output.

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tusclient import client
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

PATIENCE_SECONDS = 300


def upload(job):
    deadline = time.time() + PATIENCE_SECONDS
    url = None
    while True:
        try:
            tus = client.TusClient(job["endpoint"], headers=job["headers"])
            uploader = tus.uploader(
                job["path"],
                chunk_size=job["chunkBytes"],
                metadata={"filename": job["name"]},
                retries=20,
                retry_delay=0.05,
                upload_checksum=job["isChecked"],
                url=url,
            )
            if uploader.url is None:
                uploader.set_url(uploader.create_url())
            url = uploader.url
            uploader.upload()
            return None
        except (TusCommunicationError, TusUploadFailed) as error:
            if time.time() > deadline:
                return str(error) or repr(error)
            time.sleep(0.05)


def run(job):
    try:
        problem = upload(job)
    except Exception as error:  # whatever it is, it is told
        problem = repr(error)
    print(json.dumps({"name": job["name"], "problem": problem}), flush=True)


with ThreadPoolExecutor(max_workers=3) as pool:
    list(pool.map(run, json.load(sys.stdin)))
