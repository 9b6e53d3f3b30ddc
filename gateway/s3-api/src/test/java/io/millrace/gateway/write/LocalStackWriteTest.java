package io.millrace.gateway.write;

import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.S3OriginFixture;
import java.util.Set;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.localstack.LocalStackContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The suite over LocalStack, where there is a Docker engine; {@link EndpointWriteTest} runs it over a LocalStack
 * without.
 */
@Testcontainers(disabledWithoutDocker = true)
class LocalStackWriteTest extends S3WriteSuite implements PayloadCases, WriteKeyCases, BucketWriteCases {
    @Container
    private static final LocalStackContainer LOCALSTACK =
            new LocalStackContainer(DockerImageName.parse("localstack/localstack:4.12.0")).withServices("s3");

    @Override
    protected OriginFixture connect() {
        return S3OriginFixture.probed(LOCALSTACK.getEndpoint(), LOCALSTACK.getAccessKey(), LOCALSTACK.getSecretKey());
    }

    @Override
    public Set<OptionalFeature> abilities() {
        return OptionalFeature.of("localstack");
    }
}
