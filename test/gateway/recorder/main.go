// Sends back what it is sent, behind grpc-gateway 1: `record <address>`.
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"

	"echo/gw"

	"github.com/grpc-ecosystem/grpc-gateway/runtime"
	"google.golang.org/grpc"
)

type server struct{}

func (server) Echo(_ context.Context, shapes *gw.Shapes) (*gw.Shapes, error) { return shapes, nil }

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	backend := grpc.NewServer()
	gw.RegisterGatewayServiceServer(backend, server{})
	go backend.Serve(listener)
	mux := runtime.NewServeMux()
	dial := []grpc.DialOption{grpc.WithInsecure()}
	if err := gw.RegisterGatewayServiceHandlerFromEndpoint(context.Background(), mux, listener.Addr().String(), dial); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(os.Args[1], mux))
}
