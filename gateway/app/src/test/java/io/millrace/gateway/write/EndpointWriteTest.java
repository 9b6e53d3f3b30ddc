package io.millrace.gateway.write;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.S3OriginFixture;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The suite over any S3 server of this machine: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and
 * {@code _SECRET_KEY} say which, and {@code _SERVER} whether it is one of those whose ways are known. Skipped without them.
 */
class EndpointWriteTest extends S3WriteSuite implements PayloadCases, WriteKeyCases, BucketWriteCases {
    private static final String PREFIX = "MILLRACE_TEST_S3_";

    @Override
    OriginFixture connect() {
        Map<String, String> environment = System.getenv();
        assumeTrue(environment.containsKey(PREFIX + "ENDPOINT"), "no " + PREFIX + "ENDPOINT");
        return S3OriginFixture.probed(
                URI.create(environment.getOrDefault(PREFIX + "ENDPOINT", "")),
                environment.getOrDefault(PREFIX + "ACCESS_KEY", ""),
                environment.getOrDefault(PREFIX + "SECRET_KEY", ""));
    }

    @Override
    @Test
    public void whatIsNotUnderstoodIsRefusedAndNothingIsStored() throws IOException {
        assumeFalse(isVersitygw(), "takes headers that it does not know, which administrators may send through");
        super.whatIsNotUnderstoodIsRefusedAndNothingIsStored();
    }

    @Override
    public Set<OptionalFeature> abilities() {
        Set<OptionalFeature> all = EnumSet.allOf(OptionalFeature.class);
        if (isVersitygw()) {
            all.removeAll(EnumSet.of(
                    OptionalFeature.CONDITIONAL_COPY_TARGET,
                    OptionalFeature.CONDITIONAL_DELETE,
                    OptionalFeature.COMPLETES_TWICE,
                    OptionalFeature.PART_ORDER,
                    OptionalFeature.MISSES_UPLOADS));
        }
        return all;
    }

    private static boolean isVersitygw() {
        return System.getenv().getOrDefault(PREFIX + "SERVER", "").equals("versitygw");
    }
}
