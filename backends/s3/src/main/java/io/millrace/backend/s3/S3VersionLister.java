package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.VersionLister;
import io.millrace.backend.spi.VersionLister.ListVersionsRequest;
import io.millrace.backend.spi.VersionLister.ListedVersion;
import io.millrace.backend.spi.VersionLister.VersionDetails;
import io.millrace.backend.spi.VersionLister.VersionMarker;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Lists the versions of objects: ListObjectVersions. */
record S3VersionLister(S3Client client) implements VersionLister {
    private static final Comparator<ListedVersion> KEYS_THEN_NEWEST = Comparator.comparing(ListedVersion::key)
            .thenComparing(ListedVersion::latest, Comparator.reverseOrder())
            .thenComparing(ListedVersion::lastModified, Comparator.reverseOrder());

    @Override
    public Mono<VersionPage> listVersions(ListVersionsRequest query) {
        ErrorResponseContext context = ErrorResponseContext.list("list of the versions of bucket " + query.bucket());
        AdjustedListStart start = AdjustedListStart.of(query.prefix(), query.keyMarker(), query.maxKeys());
        UnsignedRequest versions =
                UnsignedRequest.of(SdkHttpMethod.GET, query.bucket()).withParameter("versions", "");
        UnsignedRequest request = start.addTo(versions, "max-keys", query.prefix(), query.delimiter())
                .withNonEmptyParameter("key-marker", start.marker())
                .withNonEmptyParameter("version-id-marker", start.with(query.versionIdMarker()));
        return client.exchange(request, ProcessingTime.SHORT)
                .map(reply -> page(reply, start))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    private static VersionPage page(BufferedResponse reply, AdjustedListStart start) {
        if (start.maxEntries() == 0) {
            AcknowledgementCheck.requireNoPage(reply);
            return new VersionPage(List.of(), List.of(), Optional.empty());
        }
        XmlElement page = XmlParser.parse(reply.bytes(), "ListVersionsResult");
        ListingNameDecoder names = ListingNameDecoder.of(page);
        List<ListedVersion> versions = page.children().stream()
                .filter(entry -> isVersion(entry) || isMarker(entry))
                .map(entry -> version(entry, names))
                .toList();
        return new VersionPage(
                isInTwoHalves(versions)
                        ? versions.stream().sorted(KEYS_THEN_NEWEST).toList()
                        : versions,
                names.prefixes(page),
                page.isTrue("IsTruncated") ? Optional.of(next(page, names)) : Optional.empty());
    }

    /**
     * Amazon orders versions and delete markers together by key; other servers write all versions, then all delete
     * markers.
     */
    private static boolean isInTwoHalves(List<ListedVersion> versions) {
        return IntStream.range(1, versions.size())
                        .filter(i -> isContent(versions.get(i)) != isContent(versions.get(i - 1)))
                        .count()
                == 1;
    }

    private static boolean isContent(ListedVersion version) {
        return version.details().isPresent();
    }

    private static boolean isVersion(XmlElement entry) {
        return entry.name().equals("Version");
    }

    private static boolean isMarker(XmlElement entry) {
        return entry.name().equals("DeleteMarker");
    }

    private static VersionMarker next(XmlElement page, ListingNameDecoder names) {
        return new VersionMarker(
                names.required(page, "NextKeyMarker"),
                page.nonEmptyTextOf("NextVersionIdMarker").orElse(""));
    }

    private static ListedVersion version(XmlElement entry, ListingNameDecoder names) {
        ObjectKey key = names.key(entry);
        return new ListedVersion(
                key,
                entry.nonEmptyTextOf("VersionId").orElse("null"),
                entry.isTrue("IsLatest"),
                WriteResponseParser.time(entry.requiredTextOf("LastModified")),
                ListResponseParser.owner(entry),
                isVersion(entry) ? Optional.of(content(entry)) : Optional.empty());
    }

    private static VersionDetails content(XmlElement version) {
        return new VersionDetails(
                ListingNameDecoder.number(version.requiredTextOf("Size")),
                version.nonEmptyTextOf("ETag").map(ETag::parse),
                version.nonEmptyTextOf("StorageClass").orElse("STANDARD"),
                ListResponseParser.checksums(version));
    }
}
