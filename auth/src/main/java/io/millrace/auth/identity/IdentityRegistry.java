package io.millrace.auth.identity;

import io.millrace.auth.policy.Principal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Looks up client identities (key pair and rights) from the settings, by access key or by name. It may be empty; every
 * signed request is refused then. Immutable and thread-safe.
 */
public final class IdentityRegistry {
    private final Map<String, Credential> byAccessKey;

    /**
     * Placeholder for an unknown key, so that verification takes as long for an unknown key as for a wrong signature.
     */
    private final Credential nobody = new Credential("", UUID.randomUUID().toString(), Principal.ANONYMOUS);

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

    /** Returns the principal with this name. Jobs use it, because they run on after the request that started them. */
    public Optional<Principal> named(String name) {
        return credentialOf(name).map(Credential::principal);
    }

    /** Returns the credential of the principal with this name. */
    public Optional<Credential> credentialOf(String name) {
        return byAccessKey.values().stream()
                .filter(credential -> credential.principal().name().equals(name))
                .findFirst();
    }

    /**
     * Returns the credential of {@code accessKey}, or {@link Credential#isUnknown a placeholder} whose signatures are
     * never valid.
     */
    public Credential find(String accessKey) {
        return byAccessKey.getOrDefault(accessKey, nobody);
    }
}
