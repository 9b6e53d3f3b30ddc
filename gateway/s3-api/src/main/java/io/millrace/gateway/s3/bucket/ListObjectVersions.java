package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.ListPage.ObjectOwner;
import io.millrace.backend.spi.VersionLister.ListVersionsRequest;
import io.millrace.backend.spi.VersionLister.ListedVersion;
import io.millrace.backend.spi.VersionLister.VersionDetails;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.XmlTimestamp;
import io.millrace.kit.XmlWriter;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Lists the versions of a bucket's keys. For a backend without versions, each object is its null version.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html">ListObjectVersions</a>
 */
record ListObjectVersions(BucketRegistry buckets) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        RequestTarget target = authorized.request().target();
        BucketView bucket = buckets.find(authorized.bucket());
        ListingParameters parameters = ListingParameters.of(target);
        String keyMarker = target.parameter("key-marker").orElse("");
        String versionMarker = target.parameter("version-id-marker").orElse("");
        if (keyMarker.isEmpty() && !versionMarker.isEmpty()) {
            throw ListingParameters.invalid(
                    "version-id-marker",
                    versionMarker,
                    "A version-id marker cannot be specified without a key marker.");
        }
        ListVersionsRequest query = new ListVersionsRequest(
                bucket.backendBucket(),
                bucket.toBackend(parameters.prefix()),
                parameters.delimiter(),
                bucket.markerToBackend(parameters.prefix(), keyMarker),
                versionMarker,
                parameters.maxKeys());
        return NullVersionLister.list(bucket, query)
                .map(page -> S3Response.xml(
                        200,
                        HeaderList.EMPTY,
                        document(target, bucket, parameters, page).bytes()));
    }

    private static XmlWriter document(
            RequestTarget target, BucketView bucket, ListingParameters parameters, VersionPage page) {
        XmlWriter xml = XmlWriter.of("ListVersionsResult")
                .element("Name", bucket.name().value())
                .element("Prefix", parameters.encode(parameters.prefix()))
                .element(
                        "KeyMarker",
                        parameters.encode(target.parameter("key-marker").orElse("")))
                .element(
                        "VersionIdMarker", target.parameter("version-id-marker").orElse(""));
        page.next()
                .ifPresent(next -> xml.element("NextKeyMarker", parameters.encode(bucket.toClient(next.key())))
                        .element("NextVersionIdMarker", next.versionId()));
        ListingXml.limits(xml, parameters, page.next().isPresent());
        page.versions().forEach(version -> version(xml, bucket, parameters, version));
        ListingXml.prefixes(xml, page.prefixes(), bucket, parameters);
        return xml;
    }

    private static void version(XmlWriter xml, BucketView bucket, ListingParameters parameters, ListedVersion version) {
        Optional<VersionDetails> content = version.details();
        xml.open(content.isPresent() ? "Version" : "DeleteMarker")
                .element("Key", parameters.encode(bucket.toClient(version.key().value())))
                .element("VersionId", version.versionId())
                .element("IsLatest", Boolean.toString(version.latest()))
                .element("LastModified", XmlTimestamp.format(version.lastModified()));
        content.ifPresent(stored -> content(xml, stored));
        Optional<ObjectOwner> owner = version.owner();
        owner.ifPresent(who -> xml.open("Owner")
                .element("ID", who.id())
                .element("DisplayName", who.displayName())
                .close());
        xml.close();
    }

    private static void content(XmlWriter xml, VersionDetails content) {
        xml.element("ETag", content.eTag().map(Object::toString));
        ListingXml.checksums(xml, content.checksums());
        xml.element("Size", Long.toString(content.size())).element("StorageClass", content.storageClass());
    }
}
