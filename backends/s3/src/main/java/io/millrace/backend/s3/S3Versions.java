package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ListPage.Checksums;
import io.millrace.backend.spi.ListPage.Owner;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.VersionLister.Content;
import io.millrace.backend.spi.VersionLister.ListedVersion;
import io.millrace.backend.spi.VersionLister.VersionMarker;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.backend.spi.VersionLister.VersionQuery;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Lists versions: ListObjectVersions. */
final class S3Versions {
    private static final Comparator<ListedVersion> KEYS_THEN_NEWEST = Comparator.comparing(ListedVersion::key)
            .thenComparing(ListedVersion::latest, Comparator.reverseOrder())
            .thenComparing(ListedVersion::lastModified, Comparator.reverseOrder());

    private final S3Client client;
    private final Failures failures;

    S3Versions(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<VersionPage> list(VersionQuery query) {
        Asked asked = Asked.list("list of the versions of bucket " + query.bucket());
        ListStart start = ListStart.of(query.prefix(), query.keyMarker(), query.maxKeys());
        WireRequest request = WireRequest.of(SdkHttpMethod.GET, query.bucket())
                .asking("versions", "")
                .asking("encoding-type", "url")
                .asking("max-keys", String.valueOf(start.maxEntries()))
                .askingSome("prefix", query.prefix())
                .askingSome("delimiter", query.delimiter())
                .askingSome("key-marker", start.marker())
                .askingSome("version-id-marker", start.with(query.versionIdMarker()));
        return client.exchange(request, Manner.REPEATABLE)
                .map(reply -> page(reply, start))
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    private static VersionPage page(Reply reply, ListStart start) {
        if (start.maxEntries() == 0) {
            return new VersionPage(List.of(), List.of(), Optional.empty());
        }
        XmlElement page = XmlElement.read(reply.bytes(), "ListVersionsResult");
        XmlNames names = XmlNames.of(page);
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

    /** Amazon mixes versions and delete markers in the order of their keys; others write all of the one, then all of the other. */
    private static boolean isInTwoHalves(List<ListedVersion> versions) {
        return IntStream.range(1, versions.size())
                        .filter(i -> isContent(versions.get(i)) != isContent(versions.get(i - 1)))
                        .count()
                == 1;
    }

    private static boolean isContent(ListedVersion version) {
        return version.content().isPresent();
    }

    private static boolean isVersion(XmlElement entry) {
        return entry.name().equals("Version");
    }

    private static boolean isMarker(XmlElement entry) {
        return entry.name().equals("DeleteMarker");
    }

    private static VersionMarker next(XmlElement page, XmlNames names) {
        return new VersionMarker(
                names.required(page, "NextKeyMarker"),
                page.textOf("NextVersionIdMarker").orElse(""));
    }

    private static ListedVersion version(XmlElement entry, XmlNames names) {
        ObjectKey key = names.key(entry);
        return new ListedVersion(
                key,
                entry.textOf("VersionId").orElse("null"),
                entry.isTrue("IsLatest"),
                WriteAnswer.time(entry.requiredTextOf("LastModified")),
                entry.first("Owner").map(S3Versions::owner),
                isVersion(entry) ? Optional.of(content(entry)) : Optional.empty());
    }

    private static Content content(XmlElement version) {
        return new Content(
                XmlNames.number(version.requiredTextOf("Size")),
                version.textOf("ETag").map(ETag::parse),
                version.textOf("StorageClass").orElse("STANDARD"),
                new Checksums(
                        version.all("ChecksumAlgorithm").map(XmlElement::text).toList(),
                        version.textOf("ChecksumType")));
    }

    private static Owner owner(XmlElement owner) {
        return new Owner(
                owner.textOf("ID").orElse(""), owner.textOf("DisplayName").orElse(""));
    }
}
