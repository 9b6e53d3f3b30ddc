package io.millrace.gateway.jobs;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.jobs.plan.ExpectedChecksum;
import io.millrace.gateway.jobs.plan.UrlListEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The metadata of a URL's content, from the headers of a response.
 *
 * @param size in bytes; empty if unknown
 * @param isFramed false if a cut connection looks like the end of the body
 */
record DownloadMetadata(UrlListEntry line, HeaderList responseHeaders, OptionalLong size, boolean isFramed) {
    /** Names the source. It is stored with the object, so that a later download detects changes. */
    private static final String SOURCE = "x-amz-meta-millrace-source";

    private static final String SOURCE_TAG = "x-amz-meta-millrace-source-etag";
    private static final String SOURCE_DATE = "x-amz-meta-millrace-source-last-modified";

    /** Bytes of a URL; S3 stores 2 KiB of metadata in all. */
    private static final int LONGEST_SOURCE = 1024;

    private static final int LONGEST_VALIDATOR = 256;
    /** Headers that are stored too: the first value of these, and all values of {@link #LISTS}. */
    private static final List<String> SINGLE = List.of("content-type", "content-disposition");

    private static final List<String> LISTS = List.of("content-encoding", "content-language", "cache-control");
    /** Not {@code id-sha-256}, which is the checksum before encoding. */
    private static final Pattern SHA256 = Pattern.compile("(?i)(?:^|[\\s,])sha-256=:?([A-Za-z0-9+/]{43}=):?");

    private static final Pattern OF_GOOGLE = Pattern.compile("(crc32c|md5)=([A-Za-z0-9+/]+=*)");

    static DownloadMetadata of(UrlListEntry line, DownloadResponse response) {
        return new DownloadMetadata(line, response.headers(), response.length(), response.isFramed());
    }

    /** Returns what identifies the content in later responses: a strong ETag, or a date. */
    Optional<String> validator() {
        return strongTag().or(this::lastModified);
    }

    Optional<String> strongTag() {
        return eTag().filter(tag -> tag.startsWith("\""));
    }

    /** Returns true if ranges can be requested in parallel. */
    boolean canBeSplit() {
        return size.isPresent()
                && strongTag().isPresent()
                && responseHeaders
                        .first("accept-ranges")
                        .filter("bytes"::equalsIgnoreCase)
                        .isPresent();
    }

    /** Returns the checksums of the list and of the response. */
    List<ExpectedChecksum> sums() {
        List<ExpectedChecksum> sums = new ArrayList<>(line.sums());
        responseHeaders
                .first("content-md5")
                .flatMap(md5 -> ExpectedChecksum.parse(ChecksumAlgorithm.MD5, md5))
                .ifPresent(sums::add);
        for (String name : List.of("repr-digest", "digest")) {
            Matcher sha = SHA256.matcher(responseHeaders.first(name).orElse(""));
            if (sha.find()) {
                ExpectedChecksum.parse(ChecksumAlgorithm.SHA256, sha.group(1)).ifPresent(sums::add);
            }
        }
        if (isAsGoogleKeepsIt()) {
            responseHeaders.fields().stream()
                    .filter(field -> field.name().equals("x-goog-hash"))
                    .flatMap(field -> OF_GOOGLE.matcher(field.value()).results())
                    .forEach(hash -> ChecksumAlgorithm.ofWireName(hash.group(1))
                            .flatMap(algorithm -> ExpectedChecksum.parse(algorithm, hash.group(2)))
                            .ifPresent(sums::add));
        }
        return sums;
    }

    /** Returns the headers to store, including the source. */
    HeaderList fields() {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        // S3 signs each of these once.
        SINGLE.forEach(name ->
                responseHeaders.first(name).ifPresent(value -> fields.add(new HeaderList.HeaderField(name, value))));
        LISTS.forEach(name -> fields.add(new HeaderList.HeaderField(name, all(name))));
        fields.removeIf(field -> !isPlain(field.value(), LONGEST_SOURCE));
        source().ifPresent(source -> fields.add(new HeaderList.HeaderField(SOURCE, source)));
        eTag().ifPresent(tag -> fields.add(new HeaderList.HeaderField(SOURCE_TAG, tag)));
        lastModified().ifPresent(date -> fields.add(new HeaderList.HeaderField(SOURCE_DATE, date)));
        return new HeaderList(fields);
    }

    /** Returns true if the target has this content, as far as the metadata show. */
    boolean isThatOf(ObjectHead target) {
        HeaderList stored = target.headers();
        if (!stored.first(SOURCE).equals(source()) || size.orElse(target.size()) != target.size()) {
            return false;
        }
        if (eTag().isPresent()) {
            return stored.first(SOURCE_TAG).equals(eTag());
        }
        if (lastModified().isPresent()) {
            return stored.first(SOURCE_DATE).equals(lastModified());
        }
        // The query is not stored, so by size alone two pages of one path would be equal.
        return size.isPresent() && line.url().query().isEmpty();
    }

    /** Returns true if a later response has the same content, as far as its metadata show. */
    boolean isOneWith(DownloadMetadata later) {
        if (eTag().isPresent() && later.eTag().isPresent()) {
            return eTag().equals(later.eTag());
        }
        return lastModified().isEmpty()
                || later.lastModified().isEmpty()
                || lastModified().equals(later.lastModified());
    }

    /** Returns the conditions of a request that skips content which the target has already. */
    static HeaderList unlessThatOf(UrlListEntry line, ObjectHead target) {
        HeaderList stored = target.headers();
        if (stored.first(SOURCE).isEmpty() || !stored.first(SOURCE).equals(source(line))) {
            return HeaderList.EMPTY;
        }
        return stored.first(SOURCE_TAG)
                .filter(tag -> isPlain(tag, LONGEST_VALIDATOR))
                .map(tag -> HeaderList.EMPTY.with("if-none-match", tag))
                .or(() -> stored.first(SOURCE_DATE)
                        .filter(date -> isPlain(date, LONGEST_VALIDATOR))
                        .map(date -> HeaderList.EMPTY.with("if-modified-since", date)))
                .orElse(HeaderList.EMPTY);
    }

    /** Returns true if the target was downloaded from this URL. */
    static boolean isSource(UrlListEntry line, ObjectHead target) {
        return target.headers().first(SOURCE).equals(source(line));
    }

    private String all(String name) {
        return responseHeaders.fields().stream()
                .filter(field -> field.name().equals(name))
                .map(HeaderList.HeaderField::value)
                .collect(Collectors.joining(", "));
    }

    private Optional<String> source() {
        return source(line);
    }

    private static Optional<String> source(UrlListEntry line) {
        return Optional.of(line.url().withoutQuery()).filter(text -> isPlain(text, LONGEST_SOURCE));
    }

    private Optional<String> eTag() {
        return responseHeaders.first("etag").map(String::strip).filter(tag -> isPlain(tag, LONGEST_VALIDATOR));
    }

    private Optional<String> lastModified() {
        return responseHeaders
                .first("last-modified")
                .map(String::strip)
                .filter(date -> isPlain(date, LONGEST_VALIDATOR));
    }

    /**
     * Returns true if the body has the encoding that Google stores. Google reports checksums of stored bytes even when
     * it decompresses them.
     */
    private boolean isAsGoogleKeepsIt() {
        String stored = responseHeaders.first("x-goog-stored-content-encoding").orElse("identity");
        return stored.equals(responseHeaders.first("content-encoding").orElse("identity"));
    }

    private static boolean isPlain(String value, int longest) {
        return !value.isEmpty() && value.length() <= longest && value.chars().allMatch(c -> c >= ' ' && c < 0x7F);
    }
}
