package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * The parsed document of a batch, which is AIStore's. Its size is bounded, and anything unknown in it is an error,
 * because it might change what is asked for.
 *
 * @param items what is asked for, in order
 * @param goesOn whether the batch goes on without an item that cannot be had
 * @param hidesBuckets whether the names in the tar are without the bucket
 * @param wantsHeads whether the tar has size and tag of each item in place of its bytes
 * @see <a href="https://github.com/NVIDIA/aistore/blob/main/docs/get_batch.md">AIStore's page on it</a>
 */
record BatchRequest(List<BatchItem> items, boolean goesOn, boolean hidesBuckets, boolean wantsHeads) {
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
            .build();

    /**
     * Parses a document.
     *
     * @param bucket of the items that name none
     * @throws S3Exception InvalidRequest if it is not JSON, InvalidArgument if it is no batch, NotImplemented for what
     *     AIStore does and this gateway does not, KeyTooLong; with the number of the item, if it is in one
     */
    static BatchRequest parse(byte[] document, BucketName bucket) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            return new Parser(json, bucket).batch();
        } catch (JacksonException notJson) {
            throw noJson(notJson);
        }
    }

    private static S3Exception noJson(JacksonException cause) {
        @Nullable TokenStreamLocation at = cause.getLocation();
        String where = at == null || at.getLineNr() < 1
                ? ""
                : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
        return new S3Exception(
                S3ErrorCode.INVALID_REQUEST,
                "The batch is not valid JSON%s, or has what is too long for one there.".formatted(where));
    }

    /** The parser of one document, for one thread. */
    private static final class Parser {
        private final JsonParser json;
        private final BucketName bucket;
        private final DerivedSettings archives;
        private final List<BatchItem> items = new ArrayList<>();

        /** Where the parser is, as the beginning of what is wrong there. */
        private String place = "";

        Parser(JsonParser json, BucketName bucket) {
            this.json = json;
            this.bucket = bucket;
            this.archives = DerivedSettings.ofAll(bucket);
        }

        BatchRequest batch() {
            @Nullable JsonToken first = json.nextToken();
            require(first != null, "it is empty: send a JSON object with the items in \"in\".");
            require(first == JsonToken.START_OBJECT, "it is no JSON object.");
            Set<String> fields = new HashSet<>();
            boolean goesOn = false;
            boolean hidesBuckets = false;
            boolean wantsHeads = false;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = next(fields);
                switch (field) {
                    case "in" -> items();
                    case "coer" -> goesOn = flag(field);
                    case "onob" -> hidesBuckets = flag(field);
                    case "mime" -> requireServed(TAR.contains(text(field)), "mime other than .tar");
                    case "strm" -> requireServed(flag(field), "strm: false");
                    case "coloc" -> json.skipChildren();
                    case "want" -> wantsHeads = wantsHeads(text(field));
                    default -> throw unknown(field);
                }
            }
            require(json.nextToken() == null, "there is more behind its JSON object.");
            require(!items.isEmpty(), "it has no items: write them into \"in\".");
            if (wantsHeads) {
                refuseRanges();
            }
            return new BatchRequest(List.copyOf(items), goesOn, hidesBuckets, wantsHeads);
        }

        private static boolean wantsHeads(String want) {
            boolean heads = want.equals("head");
            requireServed(heads || want.equals("bytes"), "want other than bytes or head");
            return heads;
        }

        /** A size beside a range would be taken for that of the object, or the other way round. */
        private void refuseRanges() {
            for (int i = 0; i < items.size(); i++) {
                if (items.get(i).range().isPresent()) {
                    String where = "item " + i + ": ";
                    throw BatchTar.withItem(
                            fault(where + "it has a range, and a head is that of all: leave out start and length."), i);
                }
            }
        }

        /** Goes on to the value of a field, which is not among those before; returns its name. */
        private String next(Set<String> before) {
            String field = json.currentName();
            require(before.add(field), '"' + field + "\" is given twice.");
            json.nextToken();
            return field;
        }

        private void items() {
            require(json.currentToken() == JsonToken.START_ARRAY, "\"in\" is no array.");
            while (json.nextToken() != JsonToken.END_ARRAY) {
                require(items.size() < MAX_ITEMS, "it has more than %d items.".formatted(MAX_ITEMS));
                place = "item " + items.size() + ": ";
                try {
                    items.add(item());
                } catch (JacksonException notJson) {
                    throw BatchTar.withItem(noJson(notJson), items.size());
                } catch (S3Exception refused) {
                    throw BatchTar.withItem(refused, items.size());
                }
                place = "";
            }
        }

        private BatchItem item() {
            require(json.currentToken() == JsonToken.START_OBJECT, "it is no JSON object.");
            Set<String> fields = new HashSet<>();
            String object = "";
            String member = "";
            String sample = "";
            BucketName of = bucket;
            long start = 0;
            long length = 0;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = next(fields);
                switch (field) {
                    case "objname" -> object = text(field);
                    case "archpath" -> member = text(field);
                    case "sample" -> sample = text(field);
                    case "bucket" -> of = bucket(text(field));
                    case "start" -> start = number(field);
                    case "length" -> length = length(field);
                    // The one namespace of buckets is that of the settings; who asks knows the answers by their order.
                    case "provider", "opaque" -> json.skipChildren();
                    case "uname" -> throw notServed(field);
                    default -> throw unknown(field);
                }
            }
            require(!object.isEmpty(), "it has no objname.");
            require(member.isEmpty() || sample.isEmpty(), "it has an archpath and a sample.");
            Optional<String> range = range(start, length);
            require(sample.isEmpty() || range.isEmpty(), "it has a sample, of which there are no ranges.");
            ObjectKey key = key(object);
            String name = member + sample;
            Optional<ObjectKey> inside = name.isEmpty() ? Optional.empty() : Optional.of(key(object + '/' + name));
            if (inside.isPresent()) {
                require(
                        archives.archiveLength(inside.get().value()) == object.length(),
                        "it has an archpath or a sample, and its objname does not end in .tar or .zip, or is in a"
                                + " folder that does.");
            }
            return new BatchItem(of, key, inside, !sample.isEmpty(), range);
        }

        private BucketName bucket(String name) {
            if (name.isEmpty()) {
                return bucket;
            }
            require(BucketName.isValid(name), "it has no valid bucket.");
            return new BucketName(name);
        }

        private ObjectKey key(String text) {
            try {
                return new ObjectKey(text);
            } catch (IllegalArgumentException invalid) {
                boolean isUnicode = StandardCharsets.UTF_8.newEncoder().canEncode(text);
                require(isUnicode, "its name is not valid Unicode.");
                throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
            }
        }

        private static Optional<String> range(long start, long length) {
            if (start == 0 && length == 0) {
                return Optional.empty();
            }
            RangeSpec range =
                    length == 0 ? new RangeSpec.OpenEnded(start) : new RangeSpec.Bounded(start, start + length - 1);
            return Optional.of(range.toHeader());
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

        /** A range that was computed to be empty is never the whole, which no length at all is. */
        private long length(String field) {
            long value = number(field);
            require(
                    value > 0,
                    "\"length\" is 0, and no range is empty: leave the item out, or the field for all from \"start\""
                            + " on.");
            return value;
        }

        private void require(boolean holds, String fault) {
            if (!holds) {
                throw fault(place + fault);
            }
        }

        private static S3Exception fault(String fault) {
            return new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "The batch is not understood: " + fault);
        }

        private static void requireServed(boolean holds, String what) {
            if (!holds) {
                throw notServed(what);
            }
        }

        private static S3Exception notServed(String what) {
            return new S3Exception(S3ErrorCode.NOT_IMPLEMENTED, "A batch with %s is not implemented.".formatted(what));
        }

        private S3Exception unknown(String field) {
            return fault("%sthe field \"%s\" is unknown.".formatted(place, field));
        }
    }
}
