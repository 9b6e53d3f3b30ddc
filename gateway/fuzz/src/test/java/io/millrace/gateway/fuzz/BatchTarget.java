package io.millrace.gateway.fuzz;

import io.millrace.gateway.archive.TarEntryHeader;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.object.ParsedBatch;
import io.millrace.gateway.s3.object.ParsedBatch.Item;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Documents of batches, which are the bodies of the inputs. The items of one that is accepted are those that a reading
 * of the whole tree finds, and nothing in it that is not known; names come out of the header of a tar as they went in.
 */
final class BatchTarget extends FuzzTarget {
    private static final String BUCKET = "data";
    private static final int MOST_NAME_BYTES = 1024;
    private static final int BLOCK = 512;
    private static final Set<String> OF_BATCHES = Set.of("in", "coer", "onob", "mime", "strm", "coloc", "want");
    private static final Set<String> OF_ITEMS =
            Set.of("objname", "archpath", "sample", "bucket", "start", "length", "provider", "opaque");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    @Override
    void judge(Input input) {
        byte[] document = input.body().getBytes(StandardCharsets.ISO_8859_1);
        ParsedBatch batch;
        try {
            batch = ParsedBatch.of(document, BUCKET);
        } catch (S3Exception refused) {
            count("" + refused.status());
            require(refused.status() == 400 || refused.status() == 501, "another error", refused, input);
            return;
        }
        count("200");
        JsonNode tree = tree(document);
        require(OF_BATCHES.containsAll(tree.propertyNames()), "a field that is not known", input);
        require(batch.items().equals(items(tree.path("in"))), "other items", batch, input);
        require(batch.goesOn() == tree.path("coer").asBoolean(false), "another coer", input);
        require(batch.hidesBuckets() == tree.path("onob").asBoolean(false), "another onob", input);
        require(batch.wantsHeads() == tree.path("want").asString("").equals("head"), "another want", input);
        batch.items().forEach(BatchTarget::requireName);
    }

    private static JsonNode tree(byte[] document) {
        try {
            return JSON.readTree(document);
        } catch (JacksonException notJson) {
            throw new AssertionError("no JSON was accepted", notJson);
        }
    }

    private static List<Item> items(JsonNode in) {
        List<Item> items = new ArrayList<>();
        for (JsonNode item : in) {
            require(OF_ITEMS.containsAll(item.propertyNames()), "an item's field that is not known", item);
            String key = item.path("objname").asString("");
            String bucket = item.path("bucket").asString("");
            String sample = item.path("sample").asString("");
            String inside = sample.isEmpty() ? item.path("archpath").asString("") : sample;
            items.add(new Item(
                    bucket.isEmpty() ? BUCKET : bucket,
                    key,
                    inside.isEmpty() ? "" : key + '/' + inside,
                    !sample.isEmpty(),
                    range(item.path("start").asLong(0), item.path("length").asLong(0))));
        }
        return items;
    }

    private static String range(long start, long length) {
        if (length > 0) {
            return "bytes=%d-%d".formatted(start, start + length - 1);
        }
        return start > 0 ? "bytes=%d-".formatted(start) : "";
    }

    private static void requireName(Item item) {
        String key = item.member().isEmpty() ? item.key() : item.member();
        int length = key.getBytes(StandardCharsets.UTF_8).length;
        require(!key.isEmpty() && length <= MOST_NAME_BYTES, "no key", item);
        String name = item.bucket() + '/' + key;
        String named = name.endsWith("/") ? name.substring(0, name.length() - 1) + '_' : name;
        require(nameIn(TarEntryHeader.of(name, 0)).equals(named.replace('\0', '_')), "another name", item);
    }

    /** The name that a header of a tar has, or the PAX header before it. */
    private static String nameIn(byte[] header) {
        require(header.length % BLOCK == 0, "no whole blocks", header.length);
        if (header.length > BLOCK) {
            int size = Integer.parseInt(text(header, 124, 11), 8);
            String records = new String(header, BLOCK, size, StandardCharsets.UTF_8);
            int path = records.indexOf(" path=");
            int bytes = Integer.parseInt(records.substring(0, path));
            require(bytes == size, "another record", records);
            return records.substring(path + " path=".length(), records.length() - 1);
        }
        String prefix = text(header, 345, 155);
        String name = text(header, 0, 100);
        return prefix.isEmpty() ? name : prefix + '/' + name;
    }

    /** A field up to its first NUL. */
    private static String text(byte[] header, int at, int length) {
        String field = new String(header, at, length, StandardCharsets.UTF_8);
        int end = field.indexOf('\0');
        return end < 0 ? field : field.substring(0, end);
    }
}
