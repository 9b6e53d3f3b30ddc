package io.millrace.gateway.listing;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage.Owner;
import io.millrace.backend.spi.VersionLister.Content;
import io.millrace.backend.spi.VersionLister.ListedVersion;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.backend.spi.VersionLister.VersionQuery;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.RequestTarget;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.S3Time;
import io.millrace.gateway.http.XmlDocument;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The versions of a bucket's keys, page by page. A backend without versions lists its objects, each as its null version.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html">ListObjectVersions</a>
 */
public final class ListObjectVersions implements S3Handler {
    private final Buckets buckets;

    public ListObjectVersions(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.LIST_OBJECT_VERSIONS;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        RequestTarget target = admission.request().target();
        BucketView bucket = buckets.find(admission.bucket());
        ListingParameters parameters = ListingParameters.of(target);
        String keyMarker = target.parameter("key-marker").orElse("");
        String versionMarker = target.parameter("version-id-marker").orElse("");
        if (keyMarker.isEmpty() && !versionMarker.isEmpty()) {
            throw ListingParameters.invalid(
                    "version-id-marker",
                    versionMarker,
                    "A version-id marker cannot be specified without a key marker.");
        }
        VersionQuery query = new VersionQuery(
                bucket.real(),
                bucket.inside(parameters.prefix()),
                parameters.delimiter(),
                bucket.markerInside(parameters.prefix(), keyMarker),
                versionMarker,
                parameters.maxKeys());
        return Versions.list(bucket, query)
                .map(page -> S3Answer.xml(
                        200,
                        HeaderList.EMPTY,
                        document(target, bucket, parameters, page).bytes()));
    }

    private static XmlDocument document(
            RequestTarget target, BucketView bucket, ListingParameters parameters, VersionPage page) {
        XmlDocument xml = XmlDocument.of("ListVersionsResult")
                .element("Name", bucket.name().value())
                .element("Prefix", parameters.encode(parameters.prefix()))
                .element(
                        "KeyMarker",
                        parameters.encode(target.parameter("key-marker").orElse("")))
                .element(
                        "VersionIdMarker", target.parameter("version-id-marker").orElse(""));
        page.next()
                .ifPresent(next -> xml.element("NextKeyMarker", parameters.encode(bucket.outside(next.key())))
                        .element("NextVersionIdMarker", next.versionId()));
        xml.element("MaxKeys", Integer.toString(parameters.maxKeys()));
        if (!parameters.delimiter().isEmpty()) {
            xml.element("Delimiter", parameters.encode(parameters.delimiter()));
        }
        xml.element("EncodingType", parameters.encodingType().name())
                .element("IsTruncated", Boolean.toString(page.next().isPresent()));
        page.versions().forEach(version -> version(xml, bucket, parameters, version));
        for (String prefix : page.prefixes()) {
            xml.open("CommonPrefixes")
                    .element("Prefix", parameters.encode(bucket.outside(prefix)))
                    .close();
        }
        return xml;
    }

    private static void version(
            XmlDocument xml, BucketView bucket, ListingParameters parameters, ListedVersion version) {
        Optional<Content> content = version.content();
        xml.open(content.isPresent() ? "Version" : "DeleteMarker")
                .element("Key", parameters.encode(bucket.outside(version.key().value())))
                .element("VersionId", version.versionId())
                .element("IsLatest", Boolean.toString(version.latest()))
                .element("LastModified", S3Time.format(version.lastModified()));
        content.ifPresent(stored -> content(xml, stored));
        Optional<Owner> owner = version.owner();
        owner.ifPresent(who -> xml.open("Owner")
                .element("ID", who.id())
                .element("DisplayName", who.displayName())
                .close());
        xml.close();
    }

    private static void content(XmlDocument xml, Content content) {
        xml.element("ETag", content.eTag().map(Object::toString));
        ListingXml.checksums(xml, content.checksums());
        xml.element("Size", Long.toString(content.size())).element("StorageClass", content.storageClass());
    }
}
