package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest.From;
import io.millrace.backend.spi.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.Owner;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Reads a page of a listing from either version's answer. One that may hold nothing is empty, though servers answer with all. */
final class ListAnswer {
    private static final ListPage NOTHING = new ListPage(List.of(), List.of(), Optional.empty());

    private ListAnswer() {}

    static ListPage of(ListObjectsV2Response answer, int maxKeys) {
        if (maxKeys == 0) {
            return NOTHING;
        }
        ListPage page = page(answer.contents(), answer.commonPrefixes());
        if (!Boolean.TRUE.equals(answer.isTruncated())) {
            return page;
        }
        String token = required(answer.nextContinuationToken(), "NextContinuationToken of a truncated page");
        return followed(page, new From.Token(token));
    }

    /** Without a delimiter, and at some servers with one, the marker is the last name of the page. */
    static ListPage of(ListObjectsResponse answer, int maxKeys) {
        if (maxKeys == 0) {
            return NOTHING;
        }
        ListPage page = page(answer.contents(), answer.commonPrefixes());
        if (!Boolean.TRUE.equals(answer.isTruncated())) {
            return page;
        }
        Optional<String> last = Stream.concat(
                        page.objects().stream().map(entry -> entry.key().value()), page.prefixes().stream())
                .max(ObjectKey.UTF8_ORDER);
        Optional<String> marker = Optional.ofNullable(answer.nextMarker()).filter(text -> !text.isEmpty());
        return followed(page, new From.Marker(required(marker.or(() -> last).orElse(null), "end of a truncated page")));
    }

    private static ListPage followed(ListPage page, From next) {
        return new ListPage(page.objects(), page.prefixes(), Optional.of(next));
    }

    private static ListPage page(List<S3Object> objects, List<CommonPrefix> prefixes) {
        return new ListPage(
                objects.stream().map(ListAnswer::entry).toList(),
                prefixes.stream()
                        .map(prefix -> required(prefix.prefix(), "Prefix"))
                        .toList(),
                Optional.empty());
    }

    private static ListPage.Entry entry(S3Object object) {
        return new ListPage.Entry(
                key(required(object.key(), "Key")),
                required(object.size(), "Size"),
                Optional.ofNullable(object.eTag()).map(ETag::parse),
                required(object.lastModified(), "LastModified"),
                Optional.ofNullable(object.storageClassAsString()).orElse("STANDARD"),
                new ListPage.Checksums(
                        object.checksumAlgorithmAsStrings(), Optional.ofNullable(object.checksumTypeAsString())),
                Optional.ofNullable(object.owner()).map(ListAnswer::owner));
    }

    private static ObjectKey key(String name) {
        try {
            return new ObjectKey(name);
        } catch (IllegalArgumentException e) {
            throw new BackendException(Kind.BROKEN_ANSWER, "a listing with a name that is no key: " + e.getMessage());
        }
    }

    private static ListPage.Owner owner(Owner owner) {
        return new ListPage.Owner(
                Optional.ofNullable(owner.id()).orElse(""),
                Optional.ofNullable(owner.displayName()).orElse(""));
    }

    private static <T> T required(@Nullable T value, String what) {
        if (value == null) {
            throw new BackendException(Kind.BROKEN_ANSWER, "a listing without " + what);
        }
        return value;
    }
}
