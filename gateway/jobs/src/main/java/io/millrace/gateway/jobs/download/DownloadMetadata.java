package io.millrace.gateway.jobs.download;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.jobs.fetch.DownloadResponse;
import io.millrace.gateway.jobs.request.ExpectedChecksum;
import io.millrace.gateway.jobs.request.UrlListEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What an answer tells of the object that a URL names.
 *
 * @param size in bytes, if it is told
 */
record DownloadMetadata(UrlListEntry line, HeaderList told, OptionalLong size, boolean isFramed) {
    /** Where an object came from, kept with it: a later download sees by these whether there is something new. */
    private static final String SOURCE = "x-amz-meta-millrace-source";

    private static final String SOURCE_TAG = "x-amz-meta-millrace-source-etag";
    private static final String SOURCE_DATE = "x-amz-meta-millrace-source-last-modified";

    /** S3 keeps 2 KiB of metadata in all. */
    private static final int LONGEST_SOURCE = 1024;

    private static final int LONGEST_VALIDATOR = 256;
    /** Fields that are stored too; of those with one value the first, of lists all of it. */
    private static final List<String> SINGLE = List.of("content-type", "content-disposition");

    private static final List<String> LISTS = List.of("content-encoding", "content-language", "cache-control");
    /** Not {@code id-sha-256}, which is of the bytes before they were packed. */
    private static final Pattern SHA256 = Pattern.compile("(?i)(?:^|[\\s,])sha-256=:?([A-Za-z0-9+/]{43}=):?");

    private static final Pattern OF_GOOGLE = Pattern.compile("(crc32c|md5)=([A-Za-z0-9+/]+=*)");

    static DownloadMetadata of(UrlListEntry line, DownloadResponse answer) {
        return new DownloadMetadata(line, answer.headers(), answer.length(), answer.isFramed());
    }

    /** By which a later answer is known to be of the same bytes: a strong tag, or a date. */
    Optional<String> validator() {
        return strongTag().or(this::lastModified);
    }

    Optional<String> strongTag() {
        return eTag().filter(tag -> tag.startsWith("\""));
    }

    /** Whether its parts can be asked for, one beside the other. */
    boolean canBeSplit() {
        return size.isPresent()
                && strongTag().isPresent()
                && told.first("accept-ranges").filter("bytes"::equalsIgnoreCase).isPresent();
    }

    /** What the list says of its content, and its server. */
    List<ExpectedChecksum> sums() {
        List<ExpectedChecksum> sums = new ArrayList<>(line.sums());
        told.first("content-md5")
                .flatMap(md5 -> ExpectedChecksum.told(ChecksumAlgorithm.MD5, md5))
                .ifPresent(sums::add);
        for (String name : List.of("repr-digest", "digest")) {
            Matcher sha = SHA256.matcher(told.first(name).orElse(""));
            if (sha.find()) {
                ExpectedChecksum.told(ChecksumAlgorithm.SHA256, sha.group(1)).ifPresent(sums::add);
            }
        }
        if (isAsGoogleKeepsIt()) {
            told.fields().stream()
                    .filter(field -> field.name().equals("x-goog-hash"))
                    .flatMap(field -> OF_GOOGLE.matcher(field.value()).results())
                    .forEach(hash -> ChecksumAlgorithm.ofWireName(hash.group(1))
                            .flatMap(algorithm -> ExpectedChecksum.told(algorithm, hash.group(2)))
                            .ifPresent(sums::add));
        }
        return sums;
    }

    /** How it is stored: as it is described, and with where it came from. */
    HeaderList fields() {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        // S3 signs each once.
        SINGLE.forEach(
                name -> told.first(name).ifPresent(value -> fields.add(new HeaderList.HeaderField(name, value))));
        LISTS.forEach(name -> fields.add(new HeaderList.HeaderField(name, all(name))));
        fields.removeIf(field -> !isPlain(field.value(), LONGEST_SOURCE));
        source().ifPresent(source -> fields.add(new HeaderList.HeaderField(SOURCE, source)));
        eTag().ifPresent(tag -> fields.add(new HeaderList.HeaderField(SOURCE_TAG, tag)));
        lastModified().ifPresent(date -> fields.add(new HeaderList.HeaderField(SOURCE_DATE, date)));
        return new HeaderList(fields);
    }

    /** Whether these are the bytes that the target has, as far as can be told. */
    boolean isThatOf(ObjectHead target) {
        HeaderList kept = target.headers();
        if (!kept.first(SOURCE).equals(source()) || size.orElse(target.size()) != target.size()) {
            return false;
        }
        if (eTag().isPresent()) {
            return kept.first(SOURCE_TAG).equals(eTag());
        }
        if (lastModified().isPresent()) {
            return kept.first(SOURCE_DATE).equals(lastModified());
        }
        // What a query asks for is not kept: by its size alone one page would be taken for another.
        return size.isPresent() && line.url().query().isEmpty();
    }

    /** Whether a later answer is of the same bytes, as far as it says anything. */
    boolean isOneWith(DownloadMetadata later) {
        if (eTag().isPresent() && later.eTag().isPresent()) {
            return eTag().equals(later.eTag());
        }
        return lastModified().isEmpty()
                || later.lastModified().isEmpty()
                || lastModified().equals(later.lastModified());
    }

    /** What asks for a URL only if it is not what the target has of it. */
    static HeaderList unlessThatOf(UrlListEntry line, ObjectHead target) {
        HeaderList kept = target.headers();
        if (kept.first(SOURCE).isEmpty() || !kept.first(SOURCE).equals(source(line))) {
            return HeaderList.EMPTY;
        }
        return kept.first(SOURCE_TAG)
                .filter(tag -> isPlain(tag, LONGEST_VALIDATOR))
                .map(tag -> HeaderList.EMPTY.with("if-none-match", tag))
                .or(() -> kept.first(SOURCE_DATE)
                        .filter(date -> isPlain(date, LONGEST_VALIDATOR))
                        .map(date -> HeaderList.EMPTY.with("if-modified-since", date)))
                .orElse(HeaderList.EMPTY);
    }

    /** Whether the target came from this URL at all. */
    static boolean isSource(UrlListEntry line, ObjectHead target) {
        return target.headers().first(SOURCE).equals(source(line));
    }

    private String all(String name) {
        return told.fields().stream()
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
        return told.first("etag").map(String::strip).filter(tag -> isPlain(tag, LONGEST_VALIDATOR));
    }

    private Optional<String> lastModified() {
        return told.first("last-modified").map(String::strip).filter(date -> isPlain(date, LONGEST_VALIDATOR));
    }

    /** Google tells the checksums of what it keeps, also where it sends that unzipped. */
    private boolean isAsGoogleKeepsIt() {
        String kept = told.first("x-goog-stored-content-encoding").orElse("identity");
        return kept.equals(told.first("content-encoding").orElse("identity"));
    }

    private static boolean isPlain(String value, int longest) {
        return !value.isEmpty() && value.length() <= longest && value.chars().allMatch(c -> c >= ' ' && c < 0x7F);
    }
}
