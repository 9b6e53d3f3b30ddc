package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * The parsed document of a batch, which is AIStore's. Its size is bounded, and anything unknown in it is an error,
 * because it might change what is asked for.
 *
 * @param items what is asked for, in order
 * @param goesOn whether the batch goes on without an item that cannot be had
 * @param hidesBuckets whether the names in the tar are without the bucket
 * @see <a href="https://github.com/NVIDIA/aistore/blob/main/docs/get_batch.md">AIStore's page on it</a>
 */
record BatchRequest(List<BatchItem> items, boolean goesOn, boolean hidesBuckets) {
    /** The largest document, in bytes. */
    static final int MAX_BYTES = 1 << 20;

    static final int MAX_ITEMS = 4096;

    /** The largest number that each program of JSON keeps exactly, and more than an object has bytes. */
    private static final long MAX_NUMBER = 1L << 53;

    private static final Set<String> TAR = Set.of("", ".tar", "tar");

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxDocumentLength(MAX_BYTES)
                    .maxNestingDepth(8)
                    .maxNameLength(64)
                    .maxStringLength(16 << 10)
                    .maxNumberLength(20)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /**
     * Parses a document.
     *
     * @param bucket of the items that name none
     * @throws S3Exception InvalidRequest if it is not JSON, InvalidArgument if it is no batch, NotImplemented for what
     *     AIStore does and this gateway does not, KeyTooLong
     */
    static BatchRequest parse(byte[] document, BucketName bucket) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            return new Parser(json, bucket).batch();
        } catch (JacksonException notJson) {
            throw new S3Exception(
                    S3ErrorCode.INVALID_REQUEST, "The batch is not valid JSON, or has what is too long for one.");
        }
    }

    /** The parser of one document, for one thread. */
    private static final class Parser {
        private final JsonParser json;
        private final BucketName bucket;
        private final DerivedSettings archives;
        private final List<BatchItem> items = new ArrayList<>();

        Parser(JsonParser json, BucketName bucket) {
            this.json = json;
            this.bucket = bucket;
            this.archives = DerivedSettings.ofAll(bucket);
        }

        BatchRequest batch() {
            require(json.nextToken() == JsonToken.START_OBJECT, "it is no object.");
            boolean goesOn = false;
            boolean hidesBuckets = false;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "in" -> items();
                    case "coer" -> goesOn = flag(field);
                    case "onob" -> hidesBuckets = flag(field);
                    case "mime" -> requireServed(TAR.contains(text(field)), "mime other than .tar");
                    case "strm" -> requireServed(flag(field), "strm: false");
                    case "coloc" -> json.skipChildren();
                    case "want" -> throw notServed(field);
                    default -> throw unknown(field);
                }
            }
            require(json.nextToken() == null, "there is more behind its object.");
            require(!items.isEmpty(), "it has no items: write them into \"in\".");
            return new BatchRequest(List.copyOf(items), goesOn, hidesBuckets);
        }

        private void items() {
            require(json.currentToken() == JsonToken.START_ARRAY, "\"in\" is no array.");
            while (json.nextToken() != JsonToken.END_ARRAY) {
                require(items.size() < MAX_ITEMS, "it has more than %d items.".formatted(MAX_ITEMS));
                require(json.currentToken() == JsonToken.START_OBJECT, "an item is no object.");
                items.add(item());
            }
        }

        private BatchItem item() {
            String object = "";
            String member = "";
            BucketName of = bucket;
            long start = 0;
            long length = 0;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "objname" -> object = text(field);
                    case "archpath" -> member = text(field);
                    case "bucket" -> of = bucket(text(field));
                    case "start" -> start = number(field);
                    case "length" -> length = number(field);
                    // The one namespace of buckets is that of the settings; who asks knows the answers by their order.
                    case "provider", "opaque" -> json.skipChildren();
                    case "uname", "sample" -> throw notServed(field);
                    default -> throw unknown(field);
                }
            }
            require(!object.isEmpty(), "item %d has no objname.".formatted(items.size()));
            ObjectKey key = key(object);
            Optional<ObjectKey> inside = member.isEmpty() ? Optional.empty() : Optional.of(key(object + '/' + member));
            if (inside.isPresent()) {
                require(
                        archives.archiveLength(inside.get().value()) == object.length(),
                        ("item %d has an archpath, and its objname does not end in .tar or .zip, or is in a folder that"
                                        + " does.")
                                .formatted(items.size()));
            }
            return new BatchItem(of, key, inside, range(start, length));
        }

        private BucketName bucket(String name) {
            if (name.isEmpty()) {
                return bucket;
            }
            require(BucketName.isValid(name), "item %d has no valid bucket.".formatted(items.size()));
            return new BucketName(name);
        }

        private ObjectKey key(String text) {
            try {
                return new ObjectKey(text);
            } catch (IllegalArgumentException invalid) {
                boolean isUnicode = StandardCharsets.UTF_8.newEncoder().canEncode(text);
                require(isUnicode, "the name in item %d is not valid Unicode.".formatted(items.size()));
                throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
            }
        }

        private static Optional<String> range(long start, long length) {
            if (start == 0 && length == 0) {
                return Optional.empty();
            }
            return Optional.of("bytes=" + start + "-" + (length == 0 ? "" : start + length - 1));
        }

        private String text(String field) {
            require(json.currentToken() == JsonToken.VALUE_STRING, "\"%s\" is no text.".formatted(field));
            return json.getString();
        }

        private boolean flag(String field) {
            @Nullable JsonToken token = json.currentToken();
            require(
                    token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE,
                    "\"%s\" is neither true nor false.".formatted(field));
            return token == JsonToken.VALUE_TRUE;
        }

        private long number(String field) {
            boolean isInteger = json.currentToken() == JsonToken.VALUE_NUMBER_INT;
            long value = isInteger ? json.getLongValue() : -1;
            require(value >= 0 && value <= MAX_NUMBER, "\"%s\" is no number of bytes.".formatted(field));
            return value;
        }

        private static void require(boolean holds, String fault) {
            if (!holds) {
                throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "The batch is not understood: " + fault);
            }
        }

        private static void requireServed(boolean holds, String what) {
            if (!holds) {
                throw notServed(what);
            }
        }

        private static S3Exception notServed(String what) {
            return new S3Exception(S3ErrorCode.NOT_IMPLEMENTED, "A batch with %s is not implemented.".formatted(what));
        }

        private static S3Exception unknown(String field) {
            return new S3Exception(
                    S3ErrorCode.INVALID_ARGUMENT, "The batch has an unknown field: \"%s\".".formatted(field));
        }
    }
}
