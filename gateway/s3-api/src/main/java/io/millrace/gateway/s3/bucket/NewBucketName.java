package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Validates the name of a new bucket by S3's rules, which are narrower than those of {@link BucketName}: a valid host
 * name, and not one of the names S3 reserves. The rules hold on every backend, so that a bucket can move to any other.
 * Existing buckets may have any {@link BucketName}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html">Bucket naming rules</a>
 */
final class NewBucketName {
    private static final int MAX_LENGTH = 63;
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9.-]*[a-z0-9]");
    private static final Pattern ADDRESS = Pattern.compile("[0-9]+(\\.[0-9]+){3}");
    private static final List<String> RESERVED_BEGINNINGS = List.of("xn--", "sthree-", "amzn-s3-demo-");
    private static final List<String> RESERVED_ENDINGS =
            List.of("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3");

    private NewBucketName() {}

    /**
     * Accepts a name that a new bucket may have.
     *
     * @throws S3Exception InvalidBucketName for any other name
     */
    static void require(BucketName name) {
        if (!isAllowed(name.value())) {
            throw new S3Exception(S3ErrorCode.INVALID_BUCKET_NAME).with("BucketName", name.value());
        }
    }

    private static boolean isAllowed(String name) {
        return name.length() <= MAX_LENGTH
                && FORM.matcher(name).matches()
                && !ADDRESS.matcher(name).matches()
                && RESERVED_BEGINNINGS.stream().noneMatch(name::startsWith)
                && RESERVED_ENDINGS.stream().noneMatch(name::endsWith);
    }
}
