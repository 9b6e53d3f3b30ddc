package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ETag;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * The parsed {@code manifest.json} of an S3 Inventory: the files that list the objects of a bucket, and their columns.
 *
 * @param files keys of gzipped CSV files in the manifest's bucket
 * @param columns names of the columns, in lower case
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html">Inventory
 *     lists</a>
 */
record InventoryManifest(String sourceBucket, List<String> files, List<String> columns) {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** Up to 18 digits, which fit into a long. */
    private static final Predicate<String> SIZE = Pattern.compile("[0-9]{1,18}").asMatchPredicate();

    /** An inventory writes ETags without their quotes. */
    private static final Predicate<String> PLAIN_ETAG =
            Pattern.compile("[!#-~]{1,256}").asMatchPredicate();

    private record Written(String sourceBucket, String fileFormat, String fileSchema, List<File> files) {}

    private record File(String key) {}

    /**
     * Parses a manifest.
     *
     * @throws PlanException if the manifest is invalid or not supported
     */
    static InventoryManifest parse(byte[] json) {
        try {
            Written written = JSON.readValue(json, Written.class);
            if (written.files() == null || written.fileSchema() == null || written.sourceBucket() == null) {
                throw new PlanException("the manifest is not a manifest.json of an S3 Inventory");
            }
            if (!"CSV".equalsIgnoreCase(written.fileFormat())) {
                throw new PlanException(
                        "an inventory in %s is not supported: configure it as CSV".formatted(written.fileFormat()));
            }
            List<String> columns =
                    List.of(written.fileSchema().toLowerCase(Locale.ROOT).split("\\s*,\\s*"));
            if (!columns.contains("key")) {
                throw new PlanException("the inventory has no column of keys");
            }
            return new InventoryManifest(
                    written.sourceBucket(),
                    written.files().stream().map(File::key).toList(),
                    columns);
        } catch (JacksonException e) {
            throw new PlanException("the manifest is not JSON: " + e.getOriginalMessage());
        }
    }

    /**
     * Returns the object of a line; empty if the line is an older version or a delete marker.
     *
     * @throws PlanException if the line has no valid key
     */
    Optional<ManifestEntry> current(String line) {
        List<String> values = split(line);
        String key = value(values, "key").orElseThrow(() -> noKey(line));
        boolean current =
                value(values, "islatest").filter("false"::equalsIgnoreCase).isEmpty()
                        && value(values, "isdeletemarker")
                                .filter("true"::equalsIgnoreCase)
                                .isEmpty();
        return current ? Optional.of(new ManifestEntry(decoded(key, line), listed(values))) : Optional.empty();
    }

    private static String decoded(String key, String line) {
        try {
            return URLDecoder.decode(key, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException invalid) {
            throw noKey(line);
        }
    }

    private static PlanException noKey(String line) {
        return new PlanException(
                "a line of the inventory has no valid key: " + line.substring(0, Math.min(80, line.length())));
    }

    /**
     * Returns what a listing would show. Without a size or a date it is unknown, so that a HEAD is sent where it is
     * needed.
     */
    private Optional<Listed> listed(List<String> values) {
        Optional<ETag> eTag = value(values, "etag").filter(PLAIN_ETAG).map(ETag::strong);
        return size(values)
                .flatMap(size -> lastModified(values).map(lastModified -> new Listed(size, eTag, lastModified)));
    }

    private Optional<Long> size(List<String> values) {
        return value(values, "size").filter(SIZE).map(Long::parseLong);
    }

    private Optional<Instant> lastModified(List<String> values) {
        try {
            return value(values, "lastmodifieddate").map(Instant::parse);
        } catch (DateTimeParseException unknown) {
            return Optional.empty();
        }
    }

    private Optional<String> value(List<String> values, String column) {
        int index = columns.indexOf(column);
        return index < 0 || index >= values.size() ? Optional.empty() : Optional.of(values.get(index));
    }

    /** Splits a line of CSV; a quote inside quotes is written twice. */
    private static List<String> split(String line) {
        List<String> values = new ArrayList<>();
        StringBuilder column = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                column.append('"');
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                values.add(column.toString());
                column.setLength(0);
            } else {
                column.append(c);
            }
        }
        values.add(column.toString());
        return values;
    }
}
