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
 * The link of the credentials chain that this machine has set up, for a backend without keys.
 *
 * <p>The order is that of the AWS SDKs. The first link that is set up is the only one that is asked: where it fails, the SDK's own
 * chain would go on to the next one, and sign with the role of the machine instead of the role of the pod.
 *
 * @param name what an operator has set up, as errors and logs name it
 * @param provider asks it; may wait for another machine
 * @param isLastResort whether nothing is set up and this is asked because nothing else is left
 */
record CredentialLink(String name, AwsCredentialsProvider provider, boolean isLastResort) {
    /** The settings of a profile that name a source of credentials. */
    private static final List<String> SOURCES = List.of(
            ProfileProperty.ROLE_ARN,
            ProfileProperty.SOURCE_PROFILE,
            ProfileProperty.CREDENTIAL_SOURCE,
            ProfileProperty.WEB_IDENTITY_TOKEN_FILE,
            "sso_session",
            ProfileProperty.SSO_START_URL,
            ProfileProperty.CREDENTIAL_PROCESS,
            ProfileProperty.AWS_ACCESS_KEY_ID);

    /**
     * The link that is set up now.
     *
     * @throws RuntimeException if the profile file cannot be read
     */
    static CredentialLink find() {
        if (System.getProperty(SdkSystemSetting.AWS_ACCESS_KEY_ID.property()) != null) {
            return new CredentialLink(
                    "system properties (aws.accessKeyId)", SystemPropertyCredentialsProvider.create(), false);
        }
        if (System.getenv(SdkSystemSetting.AWS_ACCESS_KEY_ID.environmentVariable()) != null) {
            return new CredentialLink(
                    "environment variables (AWS_ACCESS_KEY_ID)",
                    EnvironmentVariableCredentialsProvider.create(),
                    false);
        }
        return webIdentity()
                .or(CredentialLink::profile)
                .or(CredentialLink::container)
                .orElseGet(() ->
                        new CredentialLink("instance metadata", InstanceProfileCredentialsProvider.create(), true));
    }

    private static Optional<CredentialLink> webIdentity() {
        return given(SdkSystemSetting.AWS_WEB_IDENTITY_TOKEN_FILE)
                .map(file -> new CredentialLink(
                        "web identity (AWS_WEB_IDENTITY_TOKEN_FILE=%s, AWS_ROLE_ARN=%s)"
                                .formatted(
                                        file,
                                        given(SdkSystemSetting.AWS_ROLE_ARN).orElse("")),
                        WebIdentityTokenFileCredentialsProvider.create(),
                        false));
    }

    /** A profile that is named counts even if it is missing; the default one only if it says where credentials come from. */
    private static Optional<CredentialLink> profile() {
        Optional<String> named = given(ProfileFileSystemSetting.AWS_PROFILE);
        String name = named.orElse("default");
        ProfileFileSupplier files = ProfileFileSupplier.defaultSupplier();
        List<String> sources =
                files.get().profile(name).map(CredentialLink::sources).orElse(List.of());
        if (named.isEmpty() && sources.isEmpty()) {
            return Optional.empty();
        }
        String text = "profile '%s'%s".formatted(name, sources.isEmpty() ? "" : " " + sources);
        ProfileCredentialsProvider provider = ProfileCredentialsProvider.builder()
                .profileFile(files)
                .profileName(name)
                .build();
        return Optional.of(new CredentialLink(text, provider, false));
    }

    private static List<String> sources(Profile profile) {
        return SOURCES.stream().filter(profile.properties()::containsKey).toList();
    }

    private static Optional<CredentialLink> container() {
        return given(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI)
                .or(() -> given(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_FULL_URI))
                .map(uri -> new CredentialLink(
                        "container credentials (%s)".formatted(uri),
                        ContainerCredentialsProvider.builder().build(),
                        false));
    }

    private static Optional<String> given(SystemSetting setting) {
        return setting.getNonDefaultStringValue().filter(value -> !value.isEmpty());
    }
}
