// What a program does with Cabinet, in Java, with nothing but its standard library (17 or later).
//
//     CABINET_URL=http://127.0.0.1:8080 CABINET_APPKEY=ak_... CABINET_SECRET=... java examples/Example.java
//
// Paths, and where each parameter goes, are learned from the service's own description, /openapi.json: an operation is
// asked for by its operationId. It fetches a token, makes folders, saves a file and a batch of files, lists them page by
// page, reads them back and compares them, follows the changes, and puts everything into the trash again.

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Example {
  public static void main(String[] words) throws Exception {
    Cabinet cabinet = new Cabinet(variable("CABINET_URL"), variable("CABINET_APPKEY"), variable("CABINET_SECRET"));
    String cursor = text(cabinet.askJson("ChangesGet", Map.of("from", "now"), null), "Cursor");

    String topName = "Java example " + UUID.randomUUID();
    Object made = cabinet.askJson("FoldersPOST", Map.of(), Map.of("RelativePath", topName + "/Invoices/2026"));
    String folder = text(get(made, "Folder"), "Id");
    System.out.println("made the folder " + folder);

    byte[] report = "Gr\u00f6\u00dfe in \u20ac: 1.234,50\n".repeat(10_000).getBytes(StandardCharsets.UTF_8);
    String digest = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(report));
    Map<String, String> saving = Map.of(
        "FolderId", folder,
        "FileName", encode("\u00dcbersicht.txt"),
        "Repr-Digest", "sha-256=:" + digest + ":",
        // Sent again with the same key after a lost answer, it is not saved twice.
        "Idempotency-Key", UUID.randomUUID().toString());
    HttpResponse<byte[]> answer = cabinet.ask("SaveFilesPost", saving, report, "text/plain; charset=utf-8");
    Object saved = list(Json.parse(answer.body()), "Children").get(0);
    check(text(saved, "Id").equals(answer.headers().firstValue("entryid").orElse("")), "entryid names the saved file");
    check(((Number) get(saved, "Size")).intValue() == report.length, "all of it was saved");
    System.out.println("saved " + text(saved, "Name") + ", " + get(saved, "Size") + " bytes");

    Map<String, byte[]> small = new LinkedHashMap<>();
    List<Object> listed = new ArrayList<>();
    for (int number = 1; number <= 25; number++) {
      String path = "March/" + number + ".txt";
      small.put(path, ("invoice " + number + "\n").getBytes(StandardCharsets.UTF_8));
      listed.add(Map.of("RelativePath", path, "Properties", Map.of("Language", "Java")));
    }
    String boundary = UUID.randomUUID().toString();
    byte[] body = toMultipart(boundary, Json.write(listed), small.values());
    Map<String, String> batch = Map.of("FolderId", folder, "Idempotency-Key", UUID.randomUUID().toString());
    HttpResponse<byte[]> told = cabinet.ask("FilesBatchPost", batch, body, "multipart/form-data; boundary=" + boundary);
    List<Object> results = list(Json.parse(told.body()), "Results");
    for (Object result : results) {
      if (get(result, "Error") != null) throw new Refused(200, get(result, "Error"));
    }
    System.out.println("saved a batch of " + results.size() + " files");

    Object march = cabinet.find(folder, "March");
    Set<String> names = new TreeSet<>();
    for (Object child : cabinet.listFolder(text(march, "Id"), 10)) names.add("March/" + text(child, "Name"));
    check(names.equals(new TreeSet<>(small.keySet())), "the folder holds what was saved into it");
    System.out.println("listed " + names.size() + " of them in pages of 10");

    check(Arrays.equals(cabinet.read(text(saved, "Id")), report), "the file comes back as it was");
    Set<String> wanted = new HashSet<>(Set.of(text(saved, "Id")));
    int place = 0;
    for (byte[] content : small.values()) {
      String id = text(get(results.get(place++), "Entry"), "Id");
      check(Arrays.equals(cabinet.read(id), content), "each comes back as it was");
      wanted.add(id);
    }
    System.out.println("read all of them back: the same bytes");

    while (!wanted.isEmpty()) {
      Object page = cabinet.askJson("ChangesGet", Map.of("cursor", cursor, "wait", "5"), null);
      for (Object change : list(page, "Changes")) {
        if (text(change, "Action").equals("file.created")) wanted.remove(text(change, "EntryId"));
      }
      cursor = text(page, "Cursor");
    }
    System.out.println("the feed of changes has told of each of them");

    try {
      cabinet.askJson("FoldersPOST", Map.of(), Map.of("FolderName", topName));
      throw new IllegalStateException("a name can be given twice");
    } catch (Refused refused) {
      check(refused.code.equals("NameAlreadyExists"), refused.getMessage());
      System.out.println("refused, as it must be: " + refused.getMessage());
    }

    cabinet.askJson("EntriesDelete", Map.of("id", text(cabinet.find("-root-", topName), "Id")), null);
    System.out.println("put everything into the trash");
  }

  static String variable(String name) {
    String value = System.getenv(name);
    if (value != null && !value.isEmpty()) return value;
    System.err.println("Set CABINET_URL, CABINET_APPKEY and CABINET_SECRET.");
    System.exit(1);
    return null;
  }

  static void check(boolean isTrue, String what) {
    if (!isTrue) throw new IllegalStateException("not true: " + what);
  }

  static byte[] toMultipart(String boundary, String files, Iterable<byte[]> contents) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    String head = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"";
    body.write((head + "Files\"\r\n\r\n" + files + "\r\n").getBytes(StandardCharsets.UTF_8));
    for (byte[] content : contents) {
      body.write((head + "filename\"; filename=\"file\"\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      body.write(content);
      body.write("\r\n".getBytes(StandardCharsets.UTF_8));
    }
    body.write(("--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
    return body.toByteArray();
  }

  /** Percent-encoded UTF-8. */
  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static Object get(Object from, String name) {
    return ((Map<?, ?>) from).get(name);
  }

  static String text(Object from, String name) {
    return (String) get(from, name);
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object from, String name) {
    return (List<Object>) get(from, name);
  }

  /** The service said no: `code` is of the closed list in docs/api/errors.md. */
  static class Refused extends RuntimeException {
    final String code;

    Refused(int status, Object error) {
      super(status + " " + text(error, "Code") + ": " + text(error, "Message"));
      this.code = text(error, "Code");
    }
  }

  record Operation(String method, String path, Map<String, String> places) {}

  static class Cabinet {
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, Operation> operations = new HashMap<>();
    private final String url;
    private final String appKey;
    private final String secret;
    private final String tokenUrl;
    private String token = null;

    Cabinet(String url, String appKey, String secret) throws Exception {
      this.url = url.replaceAll("/+$", "");
      this.appKey = appKey;
      this.secret = secret;
      HttpRequest request = HttpRequest.newBuilder(URI.create(this.url + "/openapi.json")).build();
      Object description = Json.parse(http.send(request, BodyHandlers.ofByteArray()).body());
      Object flows = get(get(get(get(description, "components"), "securitySchemes"), "token"), "flows");
      this.tokenUrl = text(get(flows, "clientCredentials"), "tokenUrl");
      Object shared = get(get(description, "components"), "parameters");
      for (Map.Entry<?, ?> path : ((Map<?, ?>) get(description, "paths")).entrySet()) {
        for (Map.Entry<?, ?> method : ((Map<?, ?>) path.getValue()).entrySet()) {
          Map<String, String> places = new HashMap<>();
          List<Object> parameters = list(method.getValue(), "parameters");
          for (Object listed : parameters == null ? List.of() : parameters) {
            String reference = text(listed, "$ref");
            Object parameter = reference == null ? listed : get(shared, reference.replaceAll(".*/", ""));
            places.put(text(parameter, "name"), text(parameter, "in"));
          }
          String verb = ((String) method.getKey()).toUpperCase();
          operations.put(text(method.getValue(), "operationId"), new Operation(verb, (String) path.getKey(), places));
        }
      }
    }

    String fetchToken() throws Exception {
      byte[] credentials = (appKey + ":" + secret).getBytes(StandardCharsets.UTF_8);
      HttpRequest request = HttpRequest.newBuilder(URI.create(tokenUrl))
          .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials))
          .header("Content-Type", "application/x-www-form-urlencoded")
          .POST(BodyPublishers.ofString("grant_type=client_credentials"))
          .build();
      HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
      check(answer.statusCode() == 200, "a token is given: " + new String(answer.body(), StandardCharsets.UTF_8));
      return text(Json.parse(answer.body()), "access_token");
    }

    /** A token that has expired is replaced once. */
    HttpResponse<byte[]> ask(String operationId, Map<String, String> parameters, byte[] body, String contentType)
        throws Exception {
      for (int attempt = 1; ; attempt++) {
        if (token == null) token = fetchToken();
        HttpRequest request = toRequest(operations.get(operationId), parameters, body, contentType);
        HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
        if (answer.statusCode() < 400) return answer;
        Object error = get(Json.parse(answer.body()), "Error");
        if (!text(error, "Code").equals("TokenInvalid") || attempt == 2) throw new Refused(answer.statusCode(), error);
        token = null;
      }
    }

    HttpRequest toRequest(Operation operation, Map<String, String> parameters, byte[] body, String contentType) {
      String path = operation.path();
      StringBuilder query = new StringBuilder();
      HttpRequest.Builder request = HttpRequest.newBuilder();
      for (Map.Entry<String, String> parameter : parameters.entrySet()) {
        String name = parameter.getKey();
        switch (operation.places().get(name)) {
          case "path" -> path = path.replace("{" + name + "}", encode(parameter.getValue()));
          case "query" -> query.append(query.isEmpty() ? "?" : "&").append(name + "=" + encode(parameter.getValue()));
          default -> request.header(name, parameter.getValue());
        }
      }
      if (contentType != null) request.header("Content-Type", contentType);
      return request
          .uri(URI.create(url + path + query))
          .header("Authorization", "Bearer " + token)
          .header("AppKey", appKey)
          .method(operation.method(), body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
          .build();
    }

    Object askJson(String operationId, Map<String, String> parameters, Object fields) throws Exception {
      byte[] body = fields == null ? null : Json.write(fields).getBytes(StandardCharsets.UTF_8);
      return Json.parse(ask(operationId, parameters, body, body == null ? null : "application/json").body());
    }

    byte[] read(String id) throws Exception {
      return ask("FilesContentGet", Map.of("id", id), null, null).body();
    }

    /** Every child, over all pages: `Link` leads from one to the next. */
    List<Object> listFolder(String id, int limit) throws Exception {
      List<Object> children = new ArrayList<>();
      Map<String, String> parameters = new HashMap<>(Map.of("id", id, "limit", String.valueOf(limit)));
      while (true) {
        HttpResponse<byte[]> page = ask("FoldersGet", parameters, null, null);
        children.addAll(list(Json.parse(page.body()), "Children"));
        Matcher link = Pattern.compile("[?&]cursor=([^&>]+)").matcher(page.headers().firstValue("Link").orElse(""));
        if (!link.find()) return children;
        parameters.put("cursor", URLDecoder.decode(link.group(1), StandardCharsets.UTF_8));
      }
    }

    Object find(String folder, String name) throws Exception {
      for (Object child : listFolder(folder, 100)) if (text(child, "Name").equals(name)) return child;
      throw new IllegalStateException("there is no " + name);
    }
  }

  /** As much of JSON as is needed here: objects are maps, arrays lists, numbers doubles or longs. */
  static class Json {
    private final String text;
    private int at = 0;

    private Json(String text) {
      this.text = text;
    }

    static Object parse(byte[] bytes) {
      return new Json(new String(bytes, StandardCharsets.UTF_8)).value();
    }

    private char next() {
      while (Character.isWhitespace(text.charAt(at))) at++;
      return text.charAt(at);
    }

    private Object value() {
      return switch (next()) {
        case '{' -> object();
        case '[' -> array();
        case '"' -> string();
        case 't' -> word("true", true);
        case 'f' -> word("false", false);
        case 'n' -> word("null", null);
        default -> number();
      };
    }

    private Map<String, Object> object() {
      Map<String, Object> fields = new LinkedHashMap<>();
      at++;
      while (next() != '}') {
        if (text.charAt(at) == ',') at++;
        next();
        String name = string();
        next();
        at++;
        fields.put(name, value());
      }
      at++;
      return fields;
    }

    private List<Object> array() {
      List<Object> items = new ArrayList<>();
      at++;
      while (next() != ']') {
        if (text.charAt(at) == ',') at++;
        items.add(value());
      }
      at++;
      return items;
    }

    private String string() {
      StringBuilder read = new StringBuilder();
      for (at++; text.charAt(at) != '"'; at++) {
        char character = text.charAt(at);
        read.append(character == '\\' ? escaped() : character);
      }
      at++;
      return read.toString();
    }

    private char escaped() {
      char character = text.charAt(++at);
      if (character == 'u') {
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
      }
      int known = "nrtbf".indexOf(character);
      return known < 0 ? character : "\n\r\t\b\f".charAt(known);
    }

    private Object word(String word, Object meaning) {
      at += word.length();
      return meaning;
    }

    private Object number() {
      int from = at;
      while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
      String digits = text.substring(from, at);
      return digits.matches("-?\\d+") ? (Object) Long.valueOf(digits) : (Object) Double.valueOf(digits);
    }

    static String write(Object value) {
      if (value instanceof Map<?, ?> fields) {
        List<String> written = new ArrayList<>();
        for (Map.Entry<?, ?> field : fields.entrySet()) {
          written.add(write(field.getKey()) + ":" + write(field.getValue()));
        }
        return "{" + String.join(",", written) + "}";
      }
      if (value instanceof List<?> items) return "[" + String.join(",", items.stream().map(Json::write).toList()) + "]";
      if (value instanceof String text) return quote(text);
      return String.valueOf(value);
    }

    private static String quote(String text) {
      StringBuilder quoted = new StringBuilder("\"");
      for (char character : text.toCharArray()) {
        if (character == '"' || character == '\\') quoted.append('\\').append(character);
        else if (character < 0x20) quoted.append(String.format("\\u%04x", (int) character));
        else quoted.append(character);
      }
      return quoted.append('"').toString();
    }
  }
}
