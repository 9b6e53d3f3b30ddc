package io.millrace.gateway.read;

import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.localstack.LocalStackContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The suite over LocalStack, where there is a Docker engine; {@link EndpointReadTest} runs it over a LocalStack
 * without.
 */
@Testcontainers(disabledWithoutDocker = true)
class LocalStackReadTest extends S3ReadSuite {
    @Container
    private static final LocalStackContainer LOCALSTACK =
            new LocalStackContainer(DockerImageName.parse("localstack/localstack:4.12.0")).withServices("s3");

    @Override
    protected OriginFixture connect() {
        return S3OriginFixture.probed(LOCALSTACK.getEndpoint(), LOCALSTACK.getAccessKey(), LOCALSTACK.getSecretKey());
    }
}
