package io.tidemark.coordination.zk;

import io.tidemark.coordination.Secret;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * The settings of ZooKeeper's client. Those about encryption are ours alone: properties of the host's JVM do not count,
 * as it may talk to other ensembles as well. Passwords are not kept here but asked for when the client needs them.
 * Immutable after its making; read by the threads of the client.
 */
final class ZkClientSettings extends ZKClientConfig {
    private static final String TLS_PREFIX = "zookeeper.ssl.";
    private static final String PLAIN_SOCKET = "org.apache.zookeeper.ClientCnxnSocketNIO";
    private static final String TLS_SOCKET = "org.apache.zookeeper.ClientCnxnSocketNetty";
    private static final String FIPS_MODE = "zookeeper.fips-mode";

    private final Map<String, String> own = new HashMap<>();
    private final Map<String, Secret> secrets = new HashMap<>();

    /**
     * Makes the settings.
     *
     * @param tls how connections are encrypted; empty for plain ones
     */
    ZkClientSettings(Optional<TlsConfig> tls) {
        // SASL is done by ourselves, since ZooKeeper's client takes its user from a file of the whole JVM.
        own.put(ENABLE_CLIENT_SASL_KEY, "false");
        // Watches are set anew by ourselves, once the server knows the user.
        own.put(DISABLE_AUTO_WATCH_RESET, "true");
        own.put(JUTE_MAXBUFFER, Integer.toString(ZkContext.REPLY_BYTES_MAX));
        own.put(SECURE_CLIENT, Boolean.toString(tls.isPresent()));
        own.put(ZOOKEEPER_CLIENT_CNXN_SOCKET, tls.isPresent() ? TLS_SOCKET : PLAIN_SOCKET);
        tls.ifPresent(this::addTls);
    }

    private void addTls(TlsConfig tls) {
        own.put(TLS_PREFIX + "enabledProtocols", "TLSv1.3,TLSv1.2");
        own.put(TLS_PREFIX + "hostnameVerification", "true");
        // In this mode host names are compared by the JDK, which takes all forms of them.
        own.put(FIPS_MODE, "true");
        tls.trust().ifPresent(store -> addStore("trustStore.", store));
        tls.key().ifPresent(store -> addStore("keyStore.", store));
    }

    private void addStore(String name, TlsStore store) {
        own.put(TLS_PREFIX + name + "location", store.file().toAbsolutePath().toString());
        own.put(TLS_PREFIX + name + "type", store.format().name());
        store.password().ifPresent(secret -> secrets.put(TLS_PREFIX + name + "password", secret));
    }

    @Override
    public @Nullable String getProperty(String key) {
        // The constructor of the superclass asks before there is anything here.
        Map<String, String> known = own;
        if (known == null) {
            return super.getProperty(key);
        }
        Secret secret = secrets.get(key);
        if (secret != null) {
            return secret.reveal();
        }
        String value = known.get(key);
        return value != null || key.startsWith(TLS_PREFIX) ? value : super.getProperty(key);
    }

    @Override
    public @Nullable String getProperty(String key, @Nullable String otherwise) {
        String value = getProperty(key);
        return value == null ? otherwise : value;
    }
}
