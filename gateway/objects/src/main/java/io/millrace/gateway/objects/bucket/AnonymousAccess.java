package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.Right;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The rights of unsigned requests to a bucket. */
public record AnonymousAccess(Set<Right> rights) {
    private static final Set<Right> GRANTABLE = EnumSet.of(Right.READ, Right.LIST);

    public AnonymousAccess {
        rights = Set.copyOf(rights);
    }

    /**
     * Parses {@code none}, or rights joined by commas.
     *
     * @throws IllegalArgumentException for anything else; writing and administration always require a signature
     */
    public static AnonymousAccess parse(String text) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        if (!text.strip().equals("none")) {
            for (String name : text.split(",", -1)) {
                rights.add(right(name.strip()));
            }
        }
        return new AnonymousAccess(rights);
    }

    private static Right right(String name) {
        for (Right right : GRANTABLE) {
            if (right.name().toLowerCase(Locale.ROOT).equals(name)) {
                return right;
            }
        }
        throw new IllegalArgumentException(
                "'%s' cannot be granted to unsigned requests: use none, read, list, or read,list".formatted(name));
    }
}
