package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.Owner;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Converts responses of ListObjects and ListObjectsV2 to {@link ListPage}s. With max-keys 0 the page is empty, although servers send all.
 */
final class ListPageReader {
    private static final ListPage NOTHING = new ListPage(List.of(), List.of(), Optional.empty());

    private ListPageReader() {}

    static ListPage read(ListObjectsV2Response answer, int maxKeys) {
        if (maxKeys == 0) {
            return NOTHING;
        }
        ListPage page = page(answer.contents(), answer.commonPrefixes());
        if (!Boolean.TRUE.equals(answer.isTruncated())) {
            return page;
        }
        String token = required(answer.nextContinuationToken(), "NextContinuationToken of a truncated page");
        return followed(page, new PageStart.ContinuationToken(token));
    }

    /** Uses the last name of the page as the next marker if the response has none, as without a delimiter and at some servers with one. */
    static ListPage read(ListObjectsResponse answer, int maxKeys) {
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
        return followed(
                page, new PageStart.Marker(required(marker.or(() -> last).orElse(null), "end of a truncated page")));
    }

    private static ListPage followed(ListPage page, PageStart next) {
        return new ListPage(page.objects(), page.prefixes(), Optional.of(next));
    }

    private static ListPage page(List<S3Object> objects, List<CommonPrefix> prefixes) {
        return new ListPage(
                objects.stream().map(ListPageReader::entry).toList(),
                prefixes.stream()
                        .map(prefix -> required(prefix.prefix(), "Prefix"))
                        .toList(),
                Optional.empty());
    }

    private static ListPage.ListedObject entry(S3Object object) {
        return new ListPage.ListedObject(
                key(required(object.key(), "Key")),
                required(object.size(), "Size"),
                Optional.ofNullable(object.eTag()).map(ETag::parse),
                required(object.lastModified(), "LastModified"),
                Optional.ofNullable(object.storageClassAsString()).orElse("STANDARD"),
                new ListPage.ListedChecksums(
                        object.checksumAlgorithmAsStrings(), Optional.ofNullable(object.checksumTypeAsString())),
                Optional.ofNullable(object.owner()).map(ListPageReader::owner));
    }

    private static ObjectKey key(String name) {
        try {
            return new ObjectKey(name);
        } catch (IllegalArgumentException e) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE, "a listing with a name that is not a key: " + e.getMessage());
        }
    }

    private static ListPage.ObjectOwner owner(Owner owner) {
        return new ListPage.ObjectOwner(
                Optional.ofNullable(owner.id()).orElse(""),
                Optional.ofNullable(owner.displayName()).orElse(""));
    }

    private static <T> T required(@Nullable T value, String what) {
        if (value == null) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "a listing without " + what);
        }
        return value;
    }
}
