package io.millrace.gateway.jobs.plan;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * The parsed {@code manifest.json} of an S3 Inventory: the files that list the objects of a bucket, and their columns.
 *
 * @param files keys of gzipped CSV files in the manifest's bucket
 * @param keyColumn index of the column with the percent-encoded key
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html">Inventory
 *     lists</a>
 */
record InventoryManifest(String sourceBucket, List<String> files, int keyColumn) {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

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
                    columns.indexOf("key"));
        } catch (JacksonException e) {
            throw new PlanException("the manifest is not JSON: " + e.getOriginalMessage());
        }
    }

    /**
     * Returns the key of a line.
     *
     * @throws PlanException if the line has no key
     */
    String key(String line) {
        List<String> columns = columns(line);
        if (columns.size() <= keyColumn) {
            throw new PlanException(
                    "a line of the inventory has no key: " + line.substring(0, Math.min(80, line.length())));
        }
        return URLDecoder.decode(columns.get(keyColumn), StandardCharsets.UTF_8);
    }

    /** Splits a line of CSV; a quote inside quotes is written twice. */
    private static List<String> columns(String line) {
        List<String> columns = new ArrayList<>();
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
                columns.add(column.toString());
                column.setLength(0);
            } else {
                column.append(c);
            }
        }
        columns.add(column.toString());
        return columns;
    }
}
