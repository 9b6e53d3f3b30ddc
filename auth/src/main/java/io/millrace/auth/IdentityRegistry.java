package io.millrace.auth;

import io.millrace.auth.policy.Principal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The client identities (key pair and rights) in the settings. It may be empty. Immutable. */
public final class IdentityRegistry implements CredentialsProvider {
    private final Map<String, Credential> byAccessKey;

    private IdentityRegistry(Map<String, Credential> byAccessKey) {
        this.byAccessKey = byAccessKey;
    }

    /**
     * Creates a registry of the identities in the settings file.
     *
     * @throws IllegalArgumentException if two share a name or an access key, or one does not pass
     *     {@link IdentitySettings#check}
     */
    public static IdentityRegistry of(List<IdentitySettings> settings) {
        Map<String, Credential> byAccessKey = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (IdentitySettings identity : settings) {
            identity.requireValid();
            Principal principal = new Principal(identity.name(), identity.allow(), identity.policies());
            Credential credential =
                    new Credential(identity.accessKey(), identity.secretKey().reveal(), principal);
            if (!names.add(identity.name())) {
                throw new IllegalArgumentException("two identities are named " + identity.name());
            }
            if (byAccessKey.put(identity.accessKey(), credential) != null) {
                throw new IllegalArgumentException("two identities have the access key " + identity.accessKey());
            }
        }
        return new IdentityRegistry(byAccessKey);
    }

    @Override
    public Optional<Credential> find(String accessKey, @Nullable String token) {
        return token == null ? Optional.ofNullable(byAccessKey.get(accessKey)) : Optional.empty();
    }

    @Override
    public Optional<Credential> named(String name) {
        return byAccessKey.values().stream()
                .filter(credential -> credential.principal().name().equals(name))
                .findFirst();
    }
}
