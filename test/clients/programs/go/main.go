// Saves, reads, lists and archives with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"

	api "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func read(file *os.File) []byte {
	_, err := file.Seek(0, 0)
	check(err)
	bytes, err := io.ReadAll(file)
	check(err)
	return bytes
}

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("BASE")}}
	configuration.AddDefaultHeader("AppKey", os.Getenv("APP_KEY"))
	configuration.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("TOKEN"))
	client := api.NewAPIClient(configuration)
	ctx := context.Background()

	folder := api.NewCreateFolder()
	folder.SetFolderName("go")
	made, _, err := client.FoldersAPI.FoldersPOST(ctx).CreateFolder(*folder).Execute()
	check(err)
	local, err := os.Create("hello.txt")
	check(err)
	_, err = local.WriteString("Hello from a generated client.")
	check(err)
	_, err = local.Seek(0, 0)
	check(err)
	saved, _, err := client.FilesAPI.SaveFilesPost(ctx).FolderId(made.Folder.Id).FileName("hello.txt").Filename(local).Execute()
	check(err)
	file := saved.Children[0]
	content, _, err := client.FilesAPI.FilesContentGet(ctx, file.Id).Execute()
	check(err)
	listing, _, err := client.FoldersAPI.FoldersGet(ctx, made.Folder.Id).Execute()
	check(err)
	archive, _, err := client.FoldersAPI.FoldersArchiveGet(ctx, made.Folder.Id).Execute()
	check(err)
	names := []string{}
	for _, child := range listing.Children {
		names = append(names, child.Name)
	}
	printed, err := json.Marshal(map[string]any{
		"entryId": file.Id, "content": string(read(content)), "names": names,
		"archive": base64.StdEncoding.EncodeToString(read(archive)),
	})
	check(err)
	fmt.Println(string(printed))
}
