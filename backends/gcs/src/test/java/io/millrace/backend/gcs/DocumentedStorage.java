package io.millrace.backend.gcs;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.kit.HttpDate;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The buckets and objects of a {@link DocumentedGcsServer}, and what it responds. */
final class DocumentedStorage {
    private static final String JSON_API = "/storage/v1/b";
    private static final String UPLOADS = "/upload/storage/v1/b/";
    private static final int MAX_RESULTS = 1000;
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Map<String, NavigableMap<String, StoredObject>> buckets = new TreeMap<>();
    private final Map<String, Integer> rewrites = new HashMap<>();
    private long generations = 1_700_000_000_000_000L;
    private int requestsOfARewrite = 1;

    synchronized void createBucket(String name) {
        buckets.put(name, new TreeMap<>(ObjectKey.UTF8_ORDER));
    }

    synchronized void deleteBucket(String name) {
        buckets.remove(name);
    }

    synchronized void put(String bucket, String name, byte[] bytes, ObjectNode fields) {
        objects(bucket).put(name, stored(bytes, false, fields));
    }

    synchronized void putComposite(String bucket, String name, byte[] bytes) {
        objects(bucket).put(name, stored(bytes, true, JSON.createObjectNode()));
    }

    synchronized void remove(String bucket, String name) {
        objects(bucket).remove(name);
    }

    synchronized Optional<StoredObject> find(String bucket, String name) {
        return Optional.ofNullable(objects(bucket).get(name));
    }

    synchronized List<String> names(String bucket) {
        return List.copyOf(objects(bucket).keySet());
    }

    /** Changes the metadata of an object, which keeps its generation. */
    synchronized void patch(String bucket, String name, ObjectNode fields) {
        StoredObject old = Objects.requireNonNull(objects(bucket).get(name), name);
        objects(bucket)
                .put(
                        name,
                        new StoredObject(
                                old.bytes(),
                                old.generation(),
                                old.metageneration() + 1,
                                old.updated().plusSeconds(10),
                                old.composite(),
                                fields));
    }

    /** A rewrite takes so many requests. */
    void rewriteInSteps(int requests) {
        requestsOfARewrite = requests;
    }

    synchronized PlannedResponse respond(RecordedRequest call) {
        try {
            if (call.path().startsWith(UPLOADS)) {
                String bucket =
                        call.path().substring(UPLOADS.length(), call.path().indexOf("/o", UPLOADS.length()));
                return upload(call, bucket);
            }
            return call.path().startsWith(JSON_API) ? json(call) : media(call);
        } catch (Refusal refusal) {
            return refusal.response;
        }
    }

    private PlannedResponse json(RecordedRequest call) {
        String[] parts = call.path().substring(JSON_API.length()).split("/", -1);
        if (parts.length < 2) {
            return call.method().equals("POST") ? newBucket(call) : listBuckets();
        }
        String bucket = parts[1];
        if (parts.length == 2) {
            return bucket(call, bucket);
        }
        requireBucket(bucket);
        if (parts.length == 3) {
            return list(call, bucket);
        }
        String name = RecordedRequest.decoded(parts[3]);
        if (parts.length == 5 && parts[4].equals("compose")) {
            return compose(call, bucket, name);
        }
        if (parts.length > 5 && parts[4].equals("rewriteTo")) {
            return rewrite(call, bucket, name, parts[6], RecordedRequest.decoded(parts[8]));
        }
        return call.method().equals("DELETE")
                ? delete(call, bucket, name)
                : GcsResponses.json(200, required(bucket, name).resource(name));
    }

    private PlannedResponse newBucket(RecordedRequest call) {
        String name = JSON.readTree(call.body()).path("name").asString("");
        if (call.parameter("project").isEmpty()) {
            throw new Refusal(GcsResponses.error(400, "required", "Required parameter: project"));
        }
        if (buckets.containsKey(name)) {
            throw new Refusal(GcsResponses.error(409, "conflict", "You already own this bucket."));
        }
        createBucket(name);
        return GcsResponses.json(200, describe(name));
    }

    private PlannedResponse listBuckets() {
        ObjectNode page = JSON.createObjectNode();
        ArrayNode items = page.putArray("items");
        buckets.keySet().forEach(name -> items.add(describe(name)));
        return GcsResponses.json(200, page);
    }

    private static ObjectNode describe(String bucket) {
        return JSON.createObjectNode().put("name", bucket).put("timeCreated", "2026-11-24T10:00:00.123Z");
    }

    private PlannedResponse bucket(RecordedRequest call, String bucket) {
        requireBucket(bucket);
        if (!call.method().equals("DELETE")) {
            return GcsResponses.json(200, describe(bucket));
        }
        if (!objects(bucket).isEmpty()) {
            throw new Refusal(GcsResponses.error(409, "conflict", "The bucket you tried to delete is not empty."));
        }
        buckets.remove(bucket);
        return PlannedResponse.of(204);
    }

    private PlannedResponse list(RecordedRequest call, String bucket) {
        String prefix = call.parameter("prefix").orElse("");
        String delimiter = call.parameter("delimiter").orElse("");
        String offset = call.parameter("startOffset").orElse("");
        String after = call.parameter("pageToken")
                .map(token -> new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8))
                .orElse("");
        int max = Math.min(
                MAX_RESULTS, call.parameter("maxResults").map(Integer::parseInt).orElse(MAX_RESULTS));
        ObjectNode page = JSON.createObjectNode();
        ArrayNode items = page.putArray("items");
        ArrayNode prefixes = page.putArray("prefixes");
        String last = "";
        for (Map.Entry<String, StoredObject> entry :
                objects(bucket).tailMap(offset, true).entrySet()) {
            String name = entry.getKey();
            int at = delimiter.isEmpty() || !name.startsWith(prefix) ? -1 : name.indexOf(delimiter, prefix.length());
            String shown = at < 0 ? name : name.substring(0, at + delimiter.length());
            boolean isNew = !shown.equals(last) && (after.isEmpty() || ObjectKey.UTF8_ORDER.compare(shown, after) > 0);
            if (!name.startsWith(prefix) || !isNew) {
                continue;
            }
            if (items.size() + prefixes.size() == max) {
                byte[] token = last.getBytes(StandardCharsets.UTF_8);
                page.put("nextPageToken", Base64.getUrlEncoder().encodeToString(token));
                break;
            }
            last = shown;
            if (at < 0) {
                items.add(entry.getValue().resource(name));
            } else {
                prefixes.add(shown);
            }
        }
        return GcsResponses.json(200, page);
    }

    private PlannedResponse delete(RecordedRequest call, String bucket, String name) {
        StoredObject object = required(bucket, name);
        boolean isOther = call.parameter("generation")
                .filter(generation -> !generation.equals(Long.toString(object.generation())))
                .isPresent();
        if (isOther) {
            throw noSuchObject(bucket, name);
        }
        requireCondition(call, "ifGeneration", object);
        objects(bucket).remove(name);
        return PlannedResponse.of(204);
    }

    private PlannedResponse upload(RecordedRequest call, String bucket) {
        requireBucket(bucket);
        String type = call.header("content-type").orElse("");
        byte[] boundary = ("--" + type.substring(type.indexOf("boundary=") + 9)).getBytes(StandardCharsets.ISO_8859_1);
        int metadataStart = indexOf(call.body(), "\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1), 0) + 4;
        int metadataEnd = indexOf(call.body(), boundary, metadataStart);
        int mediaStart = indexOf(call.body(), "\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1), metadataEnd) + 4;
        int mediaEnd = indexOf(call.body(), boundary, mediaStart) - 2;
        ObjectNode fields = (ObjectNode) JSON.readTree(Arrays.copyOfRange(call.body(), metadataStart, metadataEnd));
        byte[] bytes = Arrays.copyOfRange(call.body(), mediaStart, mediaEnd);
        String name = fields.path("name").asString("");
        requireCondition(call, "ifGeneration", objects(bucket).get(name));
        StoredObject object = stored(bytes, false, fields);
        requireHash(fields, "md5Hash", object.md5(), "MD5 hash");
        requireHash(fields, "crc32c", object.crc32c(), "CRC32C");
        objects(bucket).put(name, object);
        return GcsResponses.json(200, object.resource(name));
    }

    private static void requireHash(ObjectNode fields, String name, String actual, String what) {
        String given = fields.path(name).asString("");
        if (!given.isEmpty() && !given.equals(actual)) {
            throw new Refusal(GcsResponses.error(
                    400,
                    "invalid",
                    "Provided %s \"%s\" doesn't match calculated %s \"%s\".".formatted(what, given, what, actual)));
        }
    }

    private PlannedResponse compose(RecordedRequest call, String bucket, String name) {
        JsonNode request = JSON.readTree(call.body());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        if (request.path("sourceObjects").size() > 32) {
            throw new Refusal(GcsResponses.error(400, "invalid", "The number of source components exceeds 32"));
        }
        for (JsonNode source : request.path("sourceObjects")) {
            StoredObject part = required(bucket, source.path("name").asString(""));
            if (!source.path("generation").asString("").equals(Long.toString(part.generation()))) {
                throw noSuchObject(bucket, source.path("name").asString(""));
            }
            bytes.writeBytes(part.bytes());
        }
        requireCondition(call, "ifGeneration", objects(bucket).get(name));
        StoredObject object = stored(bytes.toByteArray(), true, (ObjectNode) request.path("destination"));
        objects(bucket).put(name, object);
        return GcsResponses.json(200, object.resource(name));
    }

    private PlannedResponse rewrite(RecordedRequest call, String bucket, String name, String toBucket, String toName) {
        StoredObject source = required(bucket, name);
        requireBucket(toBucket);
        requireCondition(call, "ifSourceGeneration", source);
        requireCondition(call, "ifGeneration", objects(toBucket).get(toName));
        String id = call.parameter("rewriteToken").orElse("token-" + generations++);
        int done = rewrites.getOrDefault(id, 0) + 1;
        rewrites.put(id, done);
        ObjectNode response = JSON.createObjectNode().put("done", done >= requestsOfARewrite);
        if (done < requestsOfARewrite) {
            return GcsResponses.json(200, response.put("rewriteToken", id));
        }
        JsonNode given = call.body().length == 0 ? JSON.createObjectNode() : JSON.readTree(call.body());
        ObjectNode fields = given.isEmpty() ? source.fields() : (ObjectNode) given;
        StoredObject copy = stored(source.bytes(), source.composite(), fields);
        objects(toBucket).put(toName, copy);
        response.set("resource", copy.resource(toName));
        return GcsResponses.json(200, response);
    }

    private PlannedResponse media(RecordedRequest call) {
        int slash = call.path().indexOf('/', 1);
        String bucket = call.path().substring(1, slash);
        String name = RecordedRequest.decoded(call.path().substring(slash + 1));
        if (!buckets.containsKey(bucket)) {
            return GcsResponses.xmlError(404, "NoSuchBucket", "The specified bucket does not exist.");
        }
        StoredObject object = objects(bucket).get(name);
        if (object == null) {
            return GcsResponses.xmlError(404, "NoSuchKey", "The specified key does not exist.");
        }
        Optional<String> generation = call.header("x-goog-if-generation-match");
        if (generation.isPresent() && !generation.get().equals(Long.toString(object.generation()))) {
            return GcsResponses.xmlError(
                    412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold.");
        }
        return body(call, object);
    }

    private static PlannedResponse body(RecordedRequest call, StoredObject object) {
        boolean isGzip = object.field("contentEncoding").equals("gzip");
        boolean decompresses =
                isGzip && !call.header("accept-encoding").orElse("").contains("gzip");
        byte[] all = decompresses ? gunzip(object.bytes()) : object.bytes();
        Optional<RangeSpec> range =
                decompresses ? Optional.empty() : call.header("range").flatMap(RangeSpec::parse);
        PlannedResponse response = PlannedResponse.of(200, all);
        if (range.isPresent()) {
            var selected = range.get().resolve(all.length);
            if (selected.isEmpty()) {
                return GcsResponses.xmlError(416, "InvalidRange", "The requested range cannot be satisfied.");
            }
            int first = (int) selected.get().first();
            int end = (int) selected.get().last() + 1;
            response = PlannedResponse.of(206, Arrays.copyOfRange(all, first, end))
                    .with("Content-Range", selected.get().toContentRange(all.length));
        }
        response = described(response, object);
        return isGzip && !decompresses ? response.with("Content-Encoding", "gzip") : response;
    }

    private static PlannedResponse described(PlannedResponse plain, StoredObject object) {
        String encoding = object.field("contentEncoding");
        PlannedResponse response = plain.with("x-goog-generation", Long.toString(object.generation()))
                .with("x-goog-metageneration", Long.toString(object.metageneration()))
                .with("x-goog-stored-content-encoding", encoding.isEmpty() ? "identity" : encoding)
                .with("x-goog-stored-content-length", Integer.toString(object.bytes().length))
                .with("x-goog-hash", "crc32c=" + object.crc32c())
                .with(
                        "x-goog-storage-class",
                        object.resource("").path("storageClass").asString())
                .with("Last-Modified", HttpDate.format(object.updated()))
                .with("ETag", "\"xml-tag-%d\"".formatted(object.generation()))
                .with("Expires", "Tue, 24 Nov 2026 10:00:00 GMT")
                .with("Server", "UploadServer")
                .with(
                        "Cache-Control",
                        object.field("cacheControl").isEmpty() ? "private, max-age=0" : object.field("cacheControl"))
                .with(
                        "Content-Type",
                        object.field("contentType").isEmpty()
                                ? "application/octet-stream"
                                : object.field("contentType"));
        if (!object.composite()) {
            response = response.plus("x-goog-hash", "md5=" + object.md5());
        }
        if (!encoding.isEmpty() && !encoding.equals("gzip")) {
            response = response.with("Content-Encoding", encoding);
        }
        if (!object.field("contentLanguage").isEmpty()) {
            response = response.with("Content-Language", object.field("contentLanguage"));
        }
        if (!object.field("contentDisposition").isEmpty()) {
            response = response.with("Content-Disposition", object.field("contentDisposition"));
        }
        for (Map.Entry<String, JsonNode> entry :
                object.fields().path("metadata").properties()) {
            String value = new String(
                    entry.getValue().asString("").getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            response = response.with("x-goog-meta-" + entry.getKey(), value);
        }
        return response;
    }

    private static byte[] gunzip(byte[] bytes) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void requireCondition(RecordedRequest call, String name, @Nullable StoredObject object) {
        long generation = object == null ? 0 : object.generation();
        boolean fails = call.parameter(name + "Match")
                        .filter(wanted -> Long.parseLong(wanted) != generation)
                        .isPresent()
                || call.parameter(name + "NotMatch")
                        .filter(unwanted -> Long.parseLong(unwanted) == generation)
                        .isPresent();
        if (fails) {
            throw new Refusal(GcsResponses.error(
                    412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold."));
        }
    }

    private StoredObject stored(byte[] bytes, boolean composite, ObjectNode fields) {
        return new StoredObject(bytes, ++generations, 1, Instant.now(), composite, fields);
    }

    private NavigableMap<String, StoredObject> objects(String bucket) {
        return Objects.requireNonNull(buckets.get(bucket), bucket);
    }

    private void requireBucket(String bucket) {
        if (!buckets.containsKey(bucket)) {
            throw new Refusal(GcsResponses.error(404, "notFound", "The specified bucket does not exist."));
        }
    }

    private StoredObject required(String bucket, String name) {
        StoredObject object = objects(bucket).get(name);
        if (object == null) {
            throw noSuchObject(bucket, name);
        }
        return object;
    }

    private static Refusal noSuchObject(String bucket, String name) {
        return new Refusal(GcsResponses.error(404, "notFound", "No such object: " + bucket + "/" + name));
    }

    private static int indexOf(byte[] all, byte[] wanted, int from) {
        for (int i = from; i <= all.length - wanted.length; i++) {
            if (all[i] == wanted[0] && Arrays.equals(all, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        throw new IllegalStateException("not a multipart body");
    }

    /** A request that is refused with this response. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient PlannedResponse response;

        Refusal(PlannedResponse response) {
            super("refused", null, false, false);
            this.response = response;
        }
    }
}
