package io.millrace.backend.s3;

import java.util.List;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.InstanceProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.profiles.Profile;
import software.amazon.awssdk.profiles.ProfileFileSupplier;
import software.amazon.awssdk.profiles.ProfileFileSystemSetting;
import software.amazon.awssdk.profiles.ProfileProperty;
import software.amazon.awssdk.utils.SystemSetting;

/**
 * The source in the AWS credentials chain that is configured on this machine, for a backend without keys in its
 * settings.
 *
 * <p>The order is that of the AWS SDKs. Only the first configured source is used: the SDK's chain would try the next
 * one after a failure, and sign with the role of the machine instead of the role of the pod.
 *
 * @param name of the source in errors and logs
 * @param provider fetches the credentials; may block on the network
 * @param isLastResort whether nothing is configured and instance metadata is tried
 */
record CredentialsChainSource(String name, AwsCredentialsProvider provider, boolean isLastResort) {
    private static final String DEFAULT_PROFILE = "default";

    /** The properties of a profile that configure a source of credentials. */
    private static final List<String> SOURCES = List.of(
            ProfileProperty.ROLE_ARN,
            ProfileProperty.SOURCE_PROFILE,
            ProfileProperty.CREDENTIAL_SOURCE,
            ProfileProperty.WEB_IDENTITY_TOKEN_FILE,
            "sso_session",
            ProfileProperty.SSO_START_URL,
            ProfileProperty.CREDENTIAL_PROCESS,
            ProfileProperty.AWS_ACCESS_KEY_ID);

    /** The setting by which the SDKs' clients of STS find another server than Amazon's. */
    private static final String STS_ADDRESS = "AWS_ENDPOINT_URL_STS";

    /**
     * Returns the source that is configured now.
     *
     * @param region of the backend
     * @throws RuntimeException if the profile file cannot be read
     */
    static CredentialsChainSource find(String region) {
        giveStsARegion(region);
        return firstConfigured();
    }

    /** Sets the SDK's region if nothing does: without one it ignores the address of STS, and asks Amazon's. */
    private static void giveStsARegion(String region) {
        if (System.getenv(STS_ADDRESS) != null
                && given(SdkSystemSetting.AWS_REGION).isEmpty()
                && regionOfTheProfile().isEmpty()) {
            System.setProperty(SdkSystemSetting.AWS_REGION.property(), region);
        }
    }

    private static Optional<String> regionOfTheProfile() {
        return ProfileFileSupplier.defaultSupplier()
                .get()
                .profile(given(ProfileFileSystemSetting.AWS_PROFILE).orElse(DEFAULT_PROFILE))
                .flatMap(profile -> profile.property(ProfileProperty.REGION));
    }

    private static CredentialsChainSource firstConfigured() {
        if (System.getProperty(SdkSystemSetting.AWS_ACCESS_KEY_ID.property()) != null) {
            return new CredentialsChainSource(
                    "system properties (aws.accessKeyId)", SystemPropertyCredentialsProvider.create(), false);
        }
        if (System.getenv(SdkSystemSetting.AWS_ACCESS_KEY_ID.environmentVariable()) != null) {
            return new CredentialsChainSource(
                    "environment variables (AWS_ACCESS_KEY_ID)",
                    EnvironmentVariableCredentialsProvider.create(),
                    false);
        }
        return webIdentity()
                .or(CredentialsChainSource::profile)
                .or(CredentialsChainSource::container)
                .orElseGet(() -> new CredentialsChainSource(
                        "instance metadata", InstanceProfileCredentialsProvider.create(), true));
    }

    private static Optional<CredentialsChainSource> webIdentity() {
        return given(SdkSystemSetting.AWS_WEB_IDENTITY_TOKEN_FILE)
                .map(file -> new CredentialsChainSource(
                        "web identity (AWS_WEB_IDENTITY_TOKEN_FILE=%s, AWS_ROLE_ARN=%s)"
                                .formatted(
                                        file,
                                        given(SdkSystemSetting.AWS_ROLE_ARN).orElse("")),
                        WebIdentityTokenFileCredentialsProvider.create(),
                        false));
    }

    /** A named profile counts even if it is missing; the default one only if it configures a source of credentials. */
    private static Optional<CredentialsChainSource> profile() {
        Optional<String> named = given(ProfileFileSystemSetting.AWS_PROFILE);
        String name = named.orElse(DEFAULT_PROFILE);
        ProfileFileSupplier files = ProfileFileSupplier.defaultSupplier();
        List<String> sources =
                files.get().profile(name).map(CredentialsChainSource::sources).orElse(List.of());
        if (named.isEmpty() && sources.isEmpty()) {
            return Optional.empty();
        }
        String text = "profile '%s'%s".formatted(name, sources.isEmpty() ? "" : " " + sources);
        ProfileCredentialsProvider provider = ProfileCredentialsProvider.builder()
                .profileFile(files)
                .profileName(name)
                .build();
        return Optional.of(new CredentialsChainSource(text, provider, false));
    }

    private static List<String> sources(Profile profile) {
        return SOURCES.stream().filter(profile.properties()::containsKey).toList();
    }

    private static Optional<CredentialsChainSource> container() {
        return given(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI)
                .or(() -> given(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_FULL_URI))
                .map(uri -> new CredentialsChainSource(
                        "container credentials (%s)".formatted(uri),
                        ContainerCredentialsProvider.builder().build(),
                        false));
    }

    private static Optional<String> given(SystemSetting setting) {
        return setting.getNonDefaultStringValue().filter(value -> !value.isEmpty());
    }
}
