// Saves, reads, lists and archives with the client that openapi-generator makes for Java.
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.FilesApi;
import org.openapitools.client.api.FoldersApi;
import org.openapitools.client.model.CreateFolder;
import org.openapitools.client.model.Entry;

public class Main {
  public static void main(String[] words) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE"));
    client.setRequestInterceptor(
        request ->
            request
                .header("Authorization", "Bearer " + System.getenv("TOKEN"))
                .header("AppKey", System.getenv("APP_KEY")));
    FoldersApi folders = new FoldersApi(client);
    FilesApi files = new FilesApi(client);
    String folder =
        folders
            .foldersPOST(
                new CreateFolder().folderName("java"),
                null, null, null, null, null, null, null, null)
            .getFolder()
            .getId();
    Path local = Files.writeString(Path.of("hello.txt"), "Hello from a generated client.");
    Entry file =
        files
            .saveFilesPost(
                local.toFile(), folder, "hello.txt", null, null, null, null, null, null, null, null, null, null,
                null, null, null, null, null, null, null)
            .getChildren()
            .get(0);
    File content = files.filesContentGet(file.getId(), null, null, null, null, null);
    String name = folders.foldersGet(folder, null, null, null, null).getChildren().get(0).getName();
    File archive = folders.foldersArchiveGet(folder, null);
    System.out.printf(
        "{\"entryId\":\"%s\",\"content\":\"%s\",\"names\":[\"%s\"],\"archive\":\"%s\"}%n",
        file.getId(),
        Files.readString(content.toPath()),
        name,
        Base64.getEncoder().encodeToString(Files.readAllBytes(archive.toPath())));
  }
}
